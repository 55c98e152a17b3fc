//! A peer in a program of its own, which is asked through pipes: `programs/` has them. It times its own work.

use crate::peer::{Kind, Peer};
use crate::shapes::Shape;
use hedgerow::Transform;
use hedgerow_experiments::Failure;
use std::cell::RefCell;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;

/// What a program can be asked for: its letter in the pipe. `programs/osg.cc` says what belongs to each.
#[derive(Clone, Copy)]
enum Request {
    Build = b'b' as isize,
    List = b'l' as isize,
    Set = b's' as isize,
    Update = b'u' as isize,
    Reparent = b'r' as isize,
    Remove = b'd' as isize,
    Memory = b'm' as isize,
    Worlds = b'w' as isize,
}

/// The running program, and a tree in it. It ends with this value.
pub(crate) struct Process {
    child: Child,
    pipes: RefCell<Pipes>,
    nodes: usize,
    took: f64,
    /// All world matrices, asked for at the first that is wanted since the last change.
    worlds: RefCell<Vec<[f32; 12]>>,
}

struct Pipes {
    requests: BufWriter<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

/// The kind of peer that a command starts, which says itself what it is.
///
/// # Errors
/// That the command cannot be started, or says something else.
pub(crate) fn kind(command: &str) -> Result<Kind, Failure> {
    let command: Rc<[String]> = command.split_whitespace().map(str::to_owned).collect();
    let (_, said) = Process::start(&command)?;
    let [name, made_with, vectors] = said.trim_end().split('\t').collect::<Vec<_>>()[..] else {
        return Err(format!("{}: not a peer: it says '{}'", command.join(" "), said.trim_end()).into());
    };
    Ok(Kind {
        name: name.to_owned(),
        threads: 1,
        made_with: made_with.to_owned(),
        vectors: vectors.to_owned(),
        build: Rc::new(move |shape| {
            let (mut process, _) = Process::start(&command).expect("it has started before");
            process.build(shape);
            Box::new(process)
        }),
    })
}

impl Process {
    /// Starts a program, and returns the line in which it says what it is.
    fn start(command: &[String]) -> Result<(Self, String), Failure> {
        let [program, arguments @ ..] = command else { return Err("a program without a name".into()) };
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{program}: {error}"))?;
        let requests = BufWriter::new(child.stdin.take().expect("it is piped"));
        let answers = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut pipes = Pipes { requests, answers };
        let mut said = String::new();
        let read = pipes.answers.read_line(&mut said);
        let pipes = RefCell::new(pipes);
        let process = Self { child, pipes, nodes: 0, took: 0.0, worlds: RefCell::default() };
        match read? {
            0 => Err(format!("{} ended at once", command.join(" ")).into()),
            _ => Ok((process, said)),
        }
    }

    fn build(&mut self, shape: &Shape) {
        self.nodes = shape.len();
        let parents = shape.parents.iter().copied().flat_map(u32::to_le_bytes);
        let payload: Vec<u8> = parents.chain(locals(shape.locals.iter())).collect();
        self.ask(Request::Build, shape.len(), &payload);
    }

    /// Asks for something, and keeps how long it took.
    ///
    /// # Panics
    /// If the program has ended: it said why.
    fn ask(&mut self, request: Request, count: usize, payload: &[u8]) {
        let pipes = self.pipes.get_mut();
        pipes.ask(request, count, payload);
        self.took = f64::from_le_bytes(pipes.answer());
        self.worlds.get_mut().clear();
    }
}

impl Pipes {
    fn ask(&mut self, request: Request, count: usize, payload: &[u8]) {
        let count = u32::try_from(count).expect("trees have fewer nodes");
        let mut write = |bytes: &[u8]| self.requests.write_all(bytes).expect("the program has ended");
        write(&[request as u8]);
        write(&count.to_le_bytes());
        write(payload);
        self.requests.flush().expect("the program has ended");
    }

    fn answer<const BYTES: usize>(&mut self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        self.answers.read_exact(&mut bytes).expect("the program has ended");
        bytes
    }
}

fn locals<'t>(locals: impl Iterator<Item = &'t Transform> + 't) -> impl Iterator<Item = u8> + 't {
    locals.flat_map(|local| {
        let [translation, scale] = [local.translation, local.scale].map(|vector| vector.to_array());
        translation.into_iter().chain(local.rotation.to_array()).chain(scale).flat_map(f32::to_le_bytes)
    })
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Peer for Process {
    fn list(&mut self, moved: &[(u32, Transform)]) {
        let nodes = moved.iter().flat_map(|(node, _)| node.to_le_bytes());
        let payload: Vec<u8> = nodes.chain(locals(moved.iter().map(|(_, local)| local))).collect();
        self.ask(Request::List, moved.len(), &payload);
    }

    fn set(&mut self) {
        self.ask(Request::Set, 0, &[]);
    }

    fn update(&mut self) {
        self.ask(Request::Update, 0, &[]);
    }

    fn world(&self, node: u32) -> [f32; 12] {
        let mut worlds = self.worlds.borrow_mut();
        if worlds.is_empty() {
            let mut pipes = self.pipes.borrow_mut();
            pipes.ask(Request::Worlds, self.nodes, &[]);
            worlds.extend((0..self.nodes).map(|_| {
                let matrix: [u8; 48] = pipes.answer();
                core::array::from_fn(|element| {
                    f32::from_le_bytes(core::array::from_fn(|byte| matrix[element * 4 + byte]))
                })
            }));
        }
        worlds[node as usize]
    }

    fn reparent(&mut self, moves: &[(u32, u32)]) {
        let payload: Vec<u8> =
            moves.iter().flat_map(|&(node, parent)| [node, parent]).flat_map(u32::to_le_bytes).collect();
        self.ask(Request::Reparent, moves.len(), &payload);
    }

    fn remove(&mut self, tops: &[u32]) {
        let payload: Vec<u8> = tops.iter().copied().flat_map(u32::to_le_bytes).collect();
        self.ask(Request::Remove, tops.len(), &payload);
    }

    fn took(&self) -> Option<f64> {
        Some(self.took)
    }

    fn bytes(&mut self) -> Option<f64> {
        self.ask(Request::Memory, 0, &[]);
        Some(self.took)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_peer_is_refused_with_its_name() {
        let refused = |command: &str| kind(command).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(refused("no-such-program").starts_with("no-such-program: "));
        assert_eq!(refused("true"), "true ended at once");
        assert_eq!(refused("echo hello"), "echo hello: not a peer: it says 'hello'");
    }
}
