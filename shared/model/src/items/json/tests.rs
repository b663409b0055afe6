use super::*;

#[test]
fn a_string_is_borrowed_unless_it_has_escapes() {
    let read = |text| Json::read(text, Json::string);
    assert!(matches!(read(r#""é""#), Some(Cow::Borrowed("é"))));
    assert_eq!(read(r#" "a\n\"" "#).as_deref(), Some("a\n\""));
}
