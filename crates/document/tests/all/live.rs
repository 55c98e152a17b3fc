//! Documents that several edit at the same time, over slow connections.

use crate::acts::{check, edit, library, patch, scene, seeds};
use fastrand::Rng;
use hedgerow::Scene;
use hedgerow_document::{Document, Library, Patch};
use std::collections::VecDeque;

/// One end of a connection: what both ends have made, and our patches that the other end may not have made yet.
struct End {
    agreed: Library,
    sent: VecDeque<Patch>,
    received: usize,
    is_server: bool,
}

impl End {
    fn send(&mut self, patch: Patch) -> (usize, Patch) {
        self.sent.push_back(patch.clone());
        (core::mem::take(&mut self.received), patch)
    }

    /// Returns what a patch changes where ours are made already.
    fn receive(&mut self, (received, mut theirs): (usize, Patch)) -> Patch {
        self.sent.drain(..received).for_each(|ours| self.agreed.apply(&ours).unwrap());
        self.received += 1;
        let mut base = self.agreed.clone();
        self.agreed.apply(&theirs).unwrap();
        for ours in &mut self.sent {
            let [first, last] = if self.is_server { [&*ours, &theirs] } else { [&theirs, &*ours] };
            let merged = Patch::merge(&base, first, last).unwrap().patch;
            base.apply(ours).unwrap();
            (theirs, *ours) = (ours.inverse().then(&merged).unwrap(), theirs.inverse().then(&merged).unwrap());
        }
        theirs
    }
}

struct Client {
    scene: Scene,
    document: Document,
    ends: [End; 2],
    up: VecDeque<(usize, Patch)>,
    down: VecDeque<(usize, Patch)>,
}

impl Client {
    fn join(library: &Library, writer: u16) -> Self {
        let (mut scene, library) = (scene(), Library::from_bytes(&library.to_bytes()).unwrap());
        let end = |is_server| End { agreed: library.clone(), sent: VecDeque::new(), received: 0, is_server };
        let (ends, root) = ([false, true].map(end), scene.root());
        let mut document = Document::open(&mut scene, root, library, "a").unwrap();
        document.set_writer(writer);
        Self { scene, document, ends, up: VecDeque::new(), down: VecDeque::new() }
    }

    fn act(&mut self, dice: &mut Rng) {
        let Self { scene, document, .. } = self;
        let made = match dice.u8(0..6) {
            0..3 => {
                let count = dice.usize(1..4);
                edit(dice, scene, document.root(), count);
                document.commit(scene).unwrap().clone()
            }
            // Others may have stated the keys of the step.
            3 => document.undo(scene).ok().flatten().unwrap_or_default(),
            4 => document.redo(scene).ok().flatten().unwrap_or_default(),
            _ => {
                let patch = patch(dice, document.library());
                document.apply(scene, &patch).unwrap();
                patch
            }
        };
        let message = self.ends[0].send(made);
        self.up.push_back(message);
    }

    fn receive(&mut self) {
        while let Some(message) = self.down.pop_front() {
            let patch = self.ends[0].receive(message);
            self.document.follow(&mut self.scene, &patch).unwrap();
        }
    }
}

fn deliver(library: &mut Library, clients: &mut [Client], from: usize) {
    while let Some(message) = clients[from].up.pop_front() {
        let patch = clients[from].ends[1].receive(message);
        library.apply(&patch).unwrap();
        for (_, to) in clients.iter_mut().enumerate().filter(|(number, _)| *number != from) {
            let message = to.ends[1].send(patch.clone());
            to.down.push_back(message);
        }
    }
}

#[test]
fn writers_whose_patches_cross_come_to_the_same_library_and_scene() {
    for seed in seeds(4) {
        let mut dice = Rng::with_seed(seed);
        let mut ordered = library(&mut dice, seed % 2 == 0);
        let mut clients = vec![Client::join(&ordered, 1), Client::join(&ordered, 2)];
        for round in 0..40 {
            if round == 20 {
                clients.push(Client::join(&ordered, 3));
            }
            for number in 0..clients.len() {
                clients[number].act(&mut dice);
                if dice.u8(0..4) == 0 {
                    clients[number].receive();
                    check(&clients[number].document, &clients[number].scene, &format!("seed {seed}, round {round}"));
                }
                if dice.u8(0..4) == 0 {
                    deliver(&mut ordered, &mut clients, number);
                }
            }
        }
        (0..3).for_each(|number| deliver(&mut ordered, &mut clients, number));
        for mut client in clients {
            client.receive();
            assert_eq!(*client.document.library(), ordered, "seed {seed}");
            check(&client.document, &client.scene, &format!("seed {seed}, at the end"));
        }
    }
}
