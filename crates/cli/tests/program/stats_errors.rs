//! What `feedback stats` refuses, and what it says instead.

use crate::operator::Operator;
use crate::outcome::{error_line, failed, succeeded};
use crate::process::{rows, run};
use crate::stats::{MARCH, operator};

#[test]
fn a_trait_of_another_type_or_that_nobody_has_is_an_error_that_says_what_is_meant() {
    let operator = operator();
    for (options, expected) in rows(
        "
        --group-by seats => `seats` is a number, and numbers cannot be grouped; \
            filter by it, such as seats=number.gte:10 (--
        --filter beta=eq:true => `beta` is a boolean; write beta=boolean.eq:true (--
        --filter seats=eq:4 => `seats` is a number; write seats=number.eq:4 (--
        --filter seats=contains:many => `seats` is a number; write seats=number.eq:10 (--
        --filter beta=eq:false => `beta` is a boolean; write beta=boolean.eq:false (--
        --group-by Plna => no record of this period has the string `Plna`; did you mean plan?
        --filter plan=ne:x --filter plam=eq:x --traits => \
            no record of this period has the string `plam`; did you mean plan?
        --group-by q\u{1b}[2J => \
            no record of this period has the string `q\u{fffd}[2J` (--traits lists what there is)
        ",
    ) {
        let output = operator.request(&format!("{MARCH} {options}"));
        let error = failed(&output, 2);
        let expected = format!("feedback: {expected}");
        assert!(error.starts_with(&expected), "{options}: {error}");
        let is_line = expected.ends_with("(--") || error.len() == expected.len() + 1;
        assert!(is_line && output.stdout.is_empty(), "{options}: {error}");
    }
    // It is not why nothing is found.
    succeeded(&operator.request(&format!("{MARCH} --filter plam=ne:A --filter plan=eq:B")));
}

#[test]
fn options_that_are_wrong_say_what_is_meant() {
    for (options, reason) in rows(
        "
        --week-start sunday => --interval
        --group-limit 5 => --group-by
        --start 01/02/2026 => must be a date or an instant, such as 2026-01-31
        --interval hour => all, day, week, month, quarter, year
        --confidence 80 => 90, 95, 99
        --group-by boolean. => must be NAME, boolean.NAME
        --interval day --json --csv => cannot be used with
        --traits --group-by plan => cannot be used with
        --timezone Mars/Base => must be the name of a time zone
        --filter plan=Growth => did you mean plan=eq:Growth?
        --filter beta=true => did you mean beta=boolean.eq:true?
        --filter seats=4 => did you mean seats=number.eq:4?
        --filter seats=gte:4 => must have as the operator of a string eq, ne, contains, ncontains, in or nin \
            (of a number, number.gte)
        ",
    ) {
        let error = failed(&run(&format!("stats --project acme {options}")), 2);
        assert!(error.contains(reason), "{options}: {error}");
    }
}

#[test]
fn an_error_of_the_service_names_the_options_at_fault() {
    let operator = Operator::new();
    for (options, reason) in rows(
        "
        --interval month --week-start sunday => --week-start is only for the interval week
        --group-by plan --group-limit 101 => --group-limit must be a number from 1 to 100
        --start 2026-03-02 --end 2026-03-01 => --start must not be after --end
        --filter plan=eq:startDate --filter plan=eq:startDate => \
            filter must not repeat a filter, got \"plan=eq:startDate\"
        ",
    ) {
        let error = error_line(&operator.request(&format!("stats --project acme {options}")));
        assert!(error.contains(reason), "{options}: {error}");
    }
}
