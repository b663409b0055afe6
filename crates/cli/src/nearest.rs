//! The names that are meant by mistyped ones.

/// Returns the name that is most like this one: the same in another case or behind a dot (`customer.plan` for `plan`),
/// or with at most two letters that differ, and fewer than half of them.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let lowercase = name.to_lowercase();
    let most = 2.min(lowercase.chars().count() / 2);
    let distance = |one: &str| {
        let one = one.to_lowercase();
        let last = one.rsplit('.').next().unwrap_or_default();
        let distances = [&*one, last].map(|one| strsim::osa_distance(&lowercase, one));
        distances.into_iter().min().unwrap_or_default()
    };
    known
        .map(|one| (distance(one), one != name, one))
        .filter(|(distance, ..)| *distance <= most)
        .min()
        .map(|(.., nearest)| nearest)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_name_is_meant_by_what_differs_little_from_it() {
        for (name, known, expected) in [
            ("plna", &["seats", "plan"][..], Some("plan")),
            ("Plan", &["PLAN", "Plan"], Some("Plan")),
            ("plan", &["customer.plan", "plaa"], Some("customer.plan")),
            ("fre", &["free"], Some("free")),
            ("os", &["id"], None),
            ("enterprise", &["free", "pro"], None),
        ] {
            assert_eq!(nearest(name, known.iter().copied()), expected, "{name}");
        }
    }
}
