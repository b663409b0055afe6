use super::*;

fn is_valid(text: &str) -> bool {
    Json::read(text, Json::skip).is_some()
}

#[test]
fn values_are_skipped_whatever_they_are() {
    for text in [
        "{}",
        "[]",
        " { \"a\" :\t[ 1 , -2.5e+3 , \"x\\\"\" , true , false , null ] }\r\n",
        r#""é\u00e9\ud83d\ude00""#,
        "0",
    ] {
        assert!(is_valid(text), "{text}");
    }
}

#[test]
fn what_is_malformed_is_refused() {
    for text in [
        "",
        "{",
        "{}}",
        "[1,]",
        "[1 2]",
        r#"{"a"}"#,
        r#"{"a":}"#,
        r#"{"a":1,}"#,
        "{a:1}",
        "\"open",
        "\"\n\"",
        r#""\x""#,
        r#""\ud800""#,
        "01",
        "1.",
        "-",
        "tru",
        "nul",
        "\u{a0}1",
    ] {
        assert!(!is_valid(text), "{text}");
    }
}

#[test]
fn values_nest_128_levels_deep() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(is_valid(&nested(128)));
    assert!(!is_valid(&nested(129)));
    assert!(is_valid(&format!("[{0},{0}]", nested(127))));
}

#[test]
fn a_string_is_borrowed_unless_it_has_escapes() {
    let read = |text| Json::read(text, Json::string);
    assert!(matches!(read(r#""é""#), Some(Cow::Borrowed("é"))));
    assert_eq!(read(r#" "a\n\"" "#).as_deref(), Some("a\n\""));
}
