//! Panics in user code (closures, visitors, iterators, readers and writers, `Clone`, `Drop` and `PartialEq` of values),
//! at each call in turn, in every public method that runs any. Afterwards the scene is valid, the structures hold what
//! they should, a hundred more edits work, and every value is dropped once.

mod cases;
mod value;
mod world;

use cases::{CASES, Case};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::sync::Once;
use value::{arm, disarm, live};
use world::World;

/// Silences the expected panics of the countdown.
fn be_quiet() {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let usual = std::panic::take_hook();
        set_hook(Box::new(move |info| {
            if info.payload().downcast_ref::<&str>() != Some(&value::COUNTED) {
                usual(info);
            }
        }));
    });
}

/// Runs a case with a panic at the first call of user code, then at the second, until no call is left. Returns the
/// number of calls.
fn count_down(case: &Case) -> usize {
    for call in 1.. {
        let mut world = World::new();
        arm(call);
        let result = catch_unwind(AssertUnwindSafe(|| (case.run)(&mut world)));
        let reached = disarm();
        if let Err(panic) = &result {
            let counted = panic.downcast_ref::<&str>() == Some(&value::COUNTED);
            assert!(counted, "{}: a panic of its own, where call {call} panics", case.names[0]);
        }
        assert_eq!(result.is_err(), reached, "{}: the panic of call {call} is swallowed", case.names[0]);
        world.go_on(case.names[0], call);
        assert_eq!(live(), 0, "{}: values are lost, or dropped twice, where call {call} panics", case.names[0]);
        if !reached {
            return call - 1;
        }
    }
    unreachable!("the numbers do not end")
}

#[test]
fn a_panic_at_any_call_of_the_callers_code_breaks_nothing() {
    be_quiet();
    let mut calls = 0;
    let mut broken = Vec::new();
    for case in CASES {
        match catch_unwind(|| count_down(case)) {
            Ok(0) => broken.push(format!("{}: no code of the caller's is called", case.names[0])),
            Ok(counted) => calls += counted,
            Err(panic) => {
                broken.push(panic.downcast_ref::<String>().map_or(case.names[0].into(), Clone::clone));
                // A broken case must not spoil the counts of others.
                value::forget();
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    println!("{} cases, {calls} panics", CASES.len());
    assert!(calls > 1000, "{calls}");
}
