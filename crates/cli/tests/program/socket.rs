//! `serve.sock`, through which commands use a data folder that is served.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::thread;

use crate::http::{put_user, status};
use crate::outcome::{failed, imported, only_line, printed, stderr, succeeded};
use crate::place::{Place, users};
use crate::process::{SERVE, Served, output_of, wait_for};

/// What each side says first.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "+3");

/// Sends a message, and returns the next one, which is empty if there is none.
fn exchange(socket: &mut UnixStream, message: &[u8]) -> String {
    let sent = socket.write_all(&frame(message));
    let mut length = [0; 4];
    if sent.and_then(|()| socket.read_exact(&mut length)).is_err() {
        return String::new();
    }
    let mut reply = vec![0; u32::from_be_bytes(length) as usize];
    socket.read_exact(&mut reply).unwrap();
    String::from_utf8(reply).unwrap()
}

fn frame(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap();
    [&length.to_be_bytes(), message].concat()
}

#[test]
fn a_folder_that_is_served_is_worked_on_through_its_socket() {
    let place = Place::new();
    place.file(
        "record.ndjson",
        r#"{"id":"r","created":"2020-01-01","rating":9}"#,
    );
    let mut serve = place.command(&format!("{SERVE} --data data"));
    let served = Served::ready(serve.spawn().unwrap());
    let on_data = |line: &str| place.run(&format!("{line} --data data"));
    let import = "import responses record.ndjson --project acme";
    let imported = on_data(import);
    let writing = b"writing to the data folder data, which is being served\n";
    assert!(imported.stderr.starts_with(writing), "{imported:?}");
    let summary = succeeded(&imported);
    assert!(summary.starts_with("responses: 1 written, 0 unchanged"));
    assert!(summary.contains("\nrated       1\n"), "{summary}");
    let create = "credentials create --project acme --may statistics";
    let created = on_data(create);
    let key = succeeded(&created);
    assert!(!stderr(&created).contains(key.trim()), "{created:?}");
    let target = "/api/v2/response-statistics?project=acme";
    let header = format!("AuthKey: {}", key.trim());
    assert_eq!(status(&served.api, target, &header), 200);
    let [other, another] = [(); 2].map(|()| succeeded(&on_data(create)));
    assert!(other != another && another.trim().len() == 43, "256 bits");
    let exported = on_data("export responses --project acme");
    assert_eq!(succeeded(&exported).lines().count(), 1);
    assert_eq!(stderr(&exported), "1 exported, 0 damaged\n");
    assert_eq!(succeeded(&on_data("credentials list")).lines().count(), 3);
    succeeded(&on_data("tables create"));
    for check in ["check", "check --project acme"] {
        let checked = succeeded(&on_data(check));
        assert!(checked.contains("responses: 1 checked\n"), "{checked}");
    }
    drop(served);
    let again = succeeded(&on_data(import));
    assert!(again.contains("1 unchanged"), "it reached this folder");
}

#[test]
fn a_command_of_another_version_is_told_which_one_serves_the_folder() {
    let place = Place::new();
    place.import(users(1));
    // Of a serve of this version, an older command gets its version and nothing else.
    let served = place.serve();
    let mut socket = UnixStream::connect(place.data().join("serve.sock")).unwrap();
    assert_eq!(exchange(&mut socket, b"0.0.9"), VERSION);
    let call = br#"{"All":["Users",0]}"#;
    assert_eq!(exchange(&mut socket, call), "");
    let mut socket = UnixStream::connect(place.data().join("serve.sock")).unwrap();
    assert_eq!(exchange(&mut socket, VERSION.as_bytes()), VERSION);
    let all = exchange(&mut socket, call);
    assert!(all.starts_with('+') && all.contains("user-000000"), "{all}");
    served.end();

    // A later serve tells a command of this version.
    let lock = File::open(place.data()).unwrap();
    lock.lock().unwrap();
    let socket = UnixListener::bind(place.data().join("serve.sock")).unwrap();
    thread::spawn(move || {
        let (mut client, _) = socket.accept().unwrap();
        exchange(&mut client, b"9.9.9");
    });
    let refused = only_line(&place.run("credentials list --data data"));
    let expected = format!(
        "feedback: this feedback is {VERSION}, and the one that serves data is 9.9.9: use the same\n"
    );
    assert_eq!(refused, expected);
}

#[test]
fn bytes_that_are_no_call_end_a_connection_and_nothing_else() {
    let place = Place::new();
    place.import(users(1));
    let _served = place.serve();
    let version = VERSION.as_bytes();
    let endless = u32::MAX.to_be_bytes();
    for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], &endless, b"\0\0"] {
        let mut socket = UnixStream::connect(place.data().join("serve.sock")).unwrap();
        socket.write_all(bytes).unwrap();
        socket.shutdown(std::net::Shutdown::Write).unwrap();
        let mut rest = Vec::new();
        let _ = socket.read_to_end(&mut rest);
        assert!(rest.len() < 20, "{rest:?}");
    }
    let mut socket = UnixStream::connect(place.data().join("serve.sock")).unwrap();
    exchange(&mut socket, version);
    for call in ["", "{}", r#""Drop""#, r#"{"All":["Nothing",0]}"#] {
        let reply = exchange(&mut socket, call.as_bytes());
        assert!(reply.starts_with('-'), "{call}: {reply}");
    }
    assert_eq!(place.export("users", "data").len(), 1);
}

#[test]
fn a_client_that_ends_within_a_message_has_written_nothing() {
    let place = Place::new();
    place.import(users(1));
    let _served = place.serve();
    let item = |id: &str| format!(r#"{{"project":{{"S":"demo"}},"userId":{{"S":"{id}"}}}}"#);
    let changes: Vec<_> = users(1000)
        .map(|id| {
            let key = serde_json::json!({"hash": "demo", "range": format!("new {id}")});
            serde_json::json!({"key": key, "before": null, "after": item(&id)})
        })
        .collect();
    let call = serde_json::json!({"Replace": ["Users", changes]}).to_string();
    let call = frame(call.as_bytes());
    let mut socket = UnixStream::connect(place.data().join("serve.sock")).unwrap();
    exchange(&mut socket, VERSION.as_bytes());
    socket.write_all(&call[..call.len() - 1]).unwrap();
    drop(socket);
    assert_eq!(place.export("users", "data").len(), 1);
}

#[test]
fn a_folder_with_a_long_path_is_served_and_used() {
    let place = Place::new();
    let folder = ["x".repeat(100), "y".repeat(100)].join("/");
    place.write_records("records.ndjson", users(2));
    fs::create_dir_all(place.path(&folder)).unwrap();
    let mut serve = place.command(&format!("{SERVE} --data {folder}"));
    let _served = Served::ready(serve.spawn().unwrap());
    let import = format!("import responses records.ndjson --project demo --data {folder}");
    let said = printed(&place.run(&import));
    assert!(said.contains("is being served"), "{said}");
    assert_eq!(place.export("users", &folder).len(), 2);
}

#[test]
fn a_folder_that_cannot_have_a_socket_is_served_with_a_warning() {
    let place = Place::new();
    fs::create_dir_all(place.path("data/serve.sock/in use")).unwrap();
    let served = place.serve();
    let warning = r#""message":"commands are refused""#;
    assert!(served.greeting.contains(warning), "{}", served.greeting);
    put_user(served.dynamodb(), "u1");
}

#[test]
fn two_imports_and_an_erasure_at_the_same_time_lose_nothing() {
    let place = Place::new();
    place.import(["person-erased".to_owned()]);
    let served = place.serve();
    for n in 0..2 {
        let users = users(2000).map(|user| format!("{n} {user}"));
        place.write_records(&format!("{n}.ndjson"), users);
    }
    let imports = [0, 1].map(|n| {
        let import = format!("import responses {n}.ndjson --project demo --data data");
        place.command(&import).spawn().unwrap()
    });
    for _ in 0..3 {
        let erase = "erase --project demo --user-id person-erased --yes --data data";
        succeeded(&place.run(erase));
    }
    for import in imports {
        let written = imported(&output_of(import));
        assert!(written.starts_with("responses: 2000 written"), "{written}");
    }
    assert_eq!(place.export("responses", "data").len(), 4001);
    assert_eq!(place.export("users", "data").len(), 4000);
    put_user(served.dynamodb(), "afterwards");
    served.end();
    assert_eq!(place.export("users", "data").len(), 4001);
}

#[test]
fn an_import_whose_serve_ends_says_that_it_can_be_repeated() {
    let place = Place::new();
    place.write_records("records.ndjson", users(20_000));
    let mut served = place.serve();
    let import = "import responses records.ndjson --project demo --data data";
    let running = place.command(import).spawn().unwrap();
    let log = place.data().join("tables.sqlite-wal");
    let length = || fs::metadata(&log).map_or(0, |log| log.len());
    let before = length();
    wait_for("writes", || (length() > before + 500_000).then_some(()));
    served.signal("TERM");
    assert!(served.wait().success());
    let error = failed(&output_of(running), 1);
    let clear = "the import is incomplete; run it again to continue: ";
    let is_clear = error.contains(clear) && error.contains("nobody serves the folder anymore");
    assert!(is_clear, "{error}");
    imported(&place.run(import));
    assert_eq!(place.export("responses", "data").len(), 20_000);
}

#[test]
fn a_folder_that_was_moved_while_it_is_served_touches_no_file_at_its_former_path() {
    let place = Place::new();
    place.import(["person-moved".to_owned()]);
    let moved = place.serve();
    fs::rename(place.data(), place.path("moved")).unwrap();
    place.import(users(9));
    let served = place.serve();
    let erase = "erase --project demo --user-id person-moved --yes --data moved";
    let refused = failed(&place.run(erase), 1);
    let reason = "was moved: start serve again";
    assert!(refused.contains(reason), "{refused}");
    moved.end();
    // Its socket is still there, so this goes through it.
    put_user(served.dynamodb(), "afterwards");
    assert_eq!(place.export("users", "data").len(), 10);
    served.end();
    succeeded(&place.run("check --data data"));
    succeeded(&place.run(erase));
    assert_eq!(place.export("users", "moved").len(), 0);
}
