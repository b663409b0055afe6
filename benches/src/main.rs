//! The program that `benches/run` measures with:
//!
//!     bench stub PAGES PAGE_SIZE DELAY          serves rendered pages, each after DELAY ms, and prints its address
//!     bench periods RECORDS SHARDS LAST DELAY UNITS
//!                                               serves records as DynamoDB does, nine of ten of them in this last part of
//!                                               the year, and prints its address (periods.rs); all keys together have
//!                                               UNITS a second: a number, inf, or none for no throttling
//!     bench tls ADDRESS CERTIFICATE KEY PAUSE   prints an https address in front of an http one; a handshake takes PAUSE ms
//!     bench statistics|statistics-days|statistics-groups|statistics-days-groups ADDRESS REQUESTS FILTERS
//!     bench statistics-generic|statistics-derived|users|users-generic|calls|scan ADDRESS REQUESTS FILTERS
//!     bench load ADDRESS TARGET HEADER CONNECTIONS SECONDS PERIOD
//!                                               sends a GET request again and again, each PERIOD ms
//!
//! An implementation answers REQUESTS requests, prints the last result, and prints its peak memory in kB on
//! standard error. The parent process measures its processor time.
#![recursion_limit = "256"] // the futures of the SDK nest deeply
#![allow(
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::format_push_string,
    clippy::struct_field_names
)]

mod derived;
mod generic;
mod handlers;
mod load;
mod periods;
mod records;
mod stub;
mod tally;
mod tls;

use std::time::Duration;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The filters of a request; FILTERS is how many of them it has.
const FILTERED: [(&str, &str); 3] = [
    ("plan", "pro"),
    ("country", "Finland"),
    ("browser", "Firefox"),
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["stub", pages, page_size, delay] => {
            let delay = Duration::from_millis(delay.parse()?);
            stub::serve(pages.parse()?, page_size.parse()?, delay).await
        }
        ["periods", records, shards, last, delay, units] => {
            let (records, shards) = (records.parse()?, shards.parse()?);
            let delay = Duration::from_millis(delay.parse()?);
            periods::serve(records, shards, last.parse()?, delay, units.parse().ok()).await
        }
        ["tls", address, certificate, key, pause] => {
            let pause = Duration::from_millis(pause.parse()?);
            tls::serve(address, certificate.as_ref(), key.as_ref(), pause).await
        }
        [
            "load",
            address,
            target,
            header,
            connections,
            seconds,
            period,
        ] => {
            let load = load::Load {
                address,
                target,
                header,
                duration: Duration::from_secs(seconds.parse()?),
                period: Duration::from_millis(period.parse()?),
            };
            load.run(connections.parse()?).await
        }
        [name, address, requests, filters] => {
            let filters = FILTERED
                .get(..filters.parse()?)
                .ok_or("at most 3 filters")?;
            let requests: u32 = requests.parse()?;
            let mut last = String::new();
            let implementations = handlers::Implementations::new(address, filters);
            for _ in 0..requests {
                last = implementations.request(name).await?;
            }
            println!("{last}");
            eprintln!("{}", peak_memory()?);
            Ok(())
        }
        _ => Err("see the top of benches/src/main.rs".into()),
    }
}

/// Returns the peak memory of this process in kB. The value that the parent can read includes the
/// memory of the fork before this program started.
fn peak_memory() -> Result<String, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|peak| peak.trim().strip_suffix(" kB"));
    Ok(peak.ok_or("there is no VmHWM")?.to_owned())
}
