//! Documents that several edit at the same time, over slow connections.

use crate::acts::{check, edit, library, open, patch};
use crate::operations::street;
use crate::random::seeds;
use fastrand::Rng;
use hedgerow::{Node, Scene};
use hedgerow_document::{Document, Error, Library, Link, Message, Patch, Spot};
use std::collections::VecDeque;

struct Client {
    scene: Scene,
    document: Document,
    ends: [Link; 2],
    up: VecDeque<Message>,
    down: VecDeque<Message>,
}

impl Client {
    fn join(library: &Library, writer: u16) -> Self {
        let library = Library::from_bytes(&library.to_bytes()).unwrap();
        let ends = [false, true].map(|wins| Link::new(library.clone(), wins));
        let (scene, mut document) = open(library, "a");
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
            // Others may have stated keys of the step.
            3 => document.undo(scene).unwrap().unwrap_or_default(),
            4 => document.redo(scene).unwrap().unwrap_or_default(),
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
            let patch = self.ends[0].receive(message).unwrap().0;
            self.document.follow(&mut self.scene, &patch).unwrap();
        }
    }
}

fn deliver(library: &mut Library, clients: &mut [Client], from: usize) {
    while let Some(message) = clients[from].up.pop_front() {
        let patch = clients[from].ends[1].receive(message).unwrap().0;
        library.apply(&patch).unwrap();
        for (_, to) in clients.iter_mut().enumerate().filter(|(number, _)| *number != from) {
            let message = to.ends[1].send(patch.clone());
            to.down.push_back(message);
        }
    }
}

#[test]
fn writers_whose_patches_cross_come_to_the_same_library_and_scene() {
    for seed in seeds(2) {
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

#[test]
fn a_message_of_another_link_is_refused() {
    let (mut library, mut here) = (street(), Link::new(street(), false));
    let message = Message { received: 1, patch: Patch::new() };
    assert_eq!(here.receive(message), Err(Error::Messages { received: 1, sent: 0 }));
    let patch = library.place("street", Spot::below(0, 1.0), "wheel", Node::group()).unwrap();
    library.apply(&patch).unwrap();
    let mut other = Link::new(library, true);
    assert!(matches!(here.receive(other.send(patch.inverse())), Err(Error::State(_))));
}
