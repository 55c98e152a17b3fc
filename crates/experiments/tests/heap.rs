//! The naive graph gives back what it takes, and takes what it says.

use hedgerow::Transform;
use hedgerow_experiments::baselines::Graph;
use hedgerow_experiments::workloads::Content;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator with a count of the bytes that each thread has in use, in blocks as glibc cuts them.
struct Counting;

thread_local! {
    static IN_USE: Cell<usize> = const { Cell::new(0) };
}

fn block(layout: Layout) -> usize {
    (layout.size() + 8).next_multiple_of(16).max(32)
}

// SAFETY: every call is passed on unchanged; `realloc` is the trait's own, by way of these two.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.set(IN_USE.get().wrapping_add(block(layout)));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.set(IN_USE.get().wrapping_sub(block(layout)));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn subtrees_and_graphs_leave_nothing_behind() {
    let before = IN_USE.get();
    let in_use = || IN_USE.get().wrapping_sub(before);

    let mut graph = Graph::new(Transform::IDENTITY);
    let root = graph.root();
    // SAFETY: each pointer is used while its node is in the graph.
    unsafe {
        let top = graph.insert(root, Content::Transform(Transform::IDENTITY));
        let mut deep = top;
        for id in 0..50 {
            for mesh in 0..20 {
                graph.insert(deep, Content::Shape(mesh));
            }
            deep = graph.insert(deep, Content::Material(id));
        }
        assert_eq!(graph.len(), 2 + 50 * 21);
        assert_eq!(graph.heap_bytes(), in_use());

        assert_eq!(graph.remove(deep), 1);
        assert_eq!(graph.heap_bytes(), in_use());
        assert_eq!(graph.remove(top), 50 * 21);
        assert_eq!(graph.len(), 1);
        assert_eq!(graph.heap_bytes(), in_use());

        let mut deep = root;
        for _ in 0..100_000 {
            deep = graph.insert(deep, Content::Transform(Transform::IDENTITY));
        }
    }
    drop(graph);
    assert_eq!(in_use(), 0);
}
