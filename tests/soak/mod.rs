//! Responses are right and whole, or refused, whatever faults befall the store. The functions' programs and the
//! handlers run over a store whose data is known and whose responses suffer faults, and the handlers over a data folder whose
//! typed reads do, alone and in mixtures, which a seed selects. The test injects a few hundred; `just soak` as many as it is told to.

mod callers;
mod faults;
mod folder;
mod folder_faults;
mod injector;
mod plan;
mod project;
mod proxy;
mod requests;
mod store;
mod verdict;

use std::fmt;
use std::io::Write as _;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::future::join_all;

use self::store::Store;
use callers::{Caller, Kind};
use faults::Fault;
use folder::Folder;
use folder_faults::FolderFault;
use injector::{Budget, Injected, Of};
use test_support::Random;
use verdict::{Case, Verdict};

/// What runs the cases of each lane; lanes run at the same time.
const LANES: [Kind; 5] = [
    Kind::Statistics,
    Kind::Users,
    Kind::Handlers,
    Kind::BufferedUsers,
    Kind::Folder,
];
/// How many cases a process runs before it is replaced, since the SDK allows a process fewer and fewer
/// retries.
const CASES_OF_PROCESS: u64 = 25;
/// The part of its time that a function keeps for the response.
const TO_RESPOND: Duration = Duration::from_millis(500);
/// How much later than its deadline a response may arrive, because the machine is busy.
const MARGIN: Duration = Duration::from_secs(2);

/// How many cases ended how.
#[derive(Default)]
struct Figures {
    faults: usize,
    /// The faults of the typed reads of a data folder.
    of_folder: usize,
    /// The faults that befell the reading of a credential.
    of_credentials: usize,
    answered: usize,
    refused: usize,
    wrong: usize,
    cut: usize,
    hung: usize,
    ended: usize,
}

impl Figures {
    fn count(&mut self, kind: Kind, verdict: &Verdict, injected: &[Injected]) {
        self.faults += injected.len();
        if kind == Kind::Folder {
            self.of_folder += injected.len();
        }
        let of_credentials = injected
            .iter()
            .filter(|fault| fault.read.of == Of::Credential);
        self.of_credentials += of_credentials.count();
        *match verdict {
            // A right response shows nothing if nothing befell the request.
            Verdict::Answered if injected.is_empty() => return,
            Verdict::Answered => &mut self.answered,
            Verdict::Refused => &mut self.refused,
            Verdict::Wrong(_) => &mut self.wrong,
            Verdict::Cut(_) => &mut self.cut,
            Verdict::Hung => &mut self.hung,
            Verdict::Ended(_) => &mut self.ended,
        } += 1;
    }

    fn is_flawless(&self) -> bool {
        self.wrong + self.cut + self.hung + self.ended == 0
    }

    /// Returns the least of the figures without which nothing is shown.
    fn least(&self) -> usize {
        self.answered.min(self.refused).min(self.of_credentials)
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} faults: {} wrong, {} cut, {} hung, {} ended \
             ({} of a data folder, {} of credentials; {} answered, {} refused)",
            self.faults,
            self.wrong,
            self.cut,
            self.hung,
            self.ended,
            self.of_folder,
            self.of_credentials,
            self.answered,
            self.refused
        )
    }
}

/// Injects this many faults, over this many lanes at a time. The lanes over a data folder, which are much faster, get the share of
/// one kind.
async fn inject(faults: usize, seed: u64, lanes: u64) -> Figures {
    let of_folder = faults / LANES.len();
    let budget = Budget::of::<Fault>(faults - of_folder);
    let budget_of_folder = Budget::of::<FolderFault>(of_folder);
    requests::learn().await;
    let folder = Folder::create().await;
    let figures = Arc::new(Mutex::new(Figures::default()));
    let running = (0..lanes).map(|number| {
        let kind = LANES[usize::try_from(number).unwrap() % LANES.len()];
        let budget = if kind == Kind::Folder {
            &budget_of_folder
        } else {
            &budget
        };
        let lane = Lane {
            kind,
            number,
            lanes,
            budget: budget.clone(),
            figures: Arc::clone(&figures),
        };
        tokio::spawn(lane.run(seed, folder.clone()))
    });
    for lane in join_all(running).await {
        lane.unwrap();
    }
    std::mem::take(&mut figures.lock().unwrap())
}

/// One of many that run cases at the same time.
struct Lane {
    kind: Kind,
    number: u64,
    lanes: u64,
    budget: Arc<Budget>,
    figures: Arc<Mutex<Figures>>,
}

impl Lane {
    /// Runs every case whose number is that of the lane, modulo the lanes.
    async fn run(self, seed: u64, folder: Folder) {
        let Self { kind, lanes, .. } = self;
        let store = Store::start(kind, &folder, self.budget.clone()).await;
        let mut caller: Option<Caller> = None;
        for case in 0.. {
            if self.budget.is_spent() {
                break;
            }
            let number = case * lanes + self.number;
            let random = Random::of_case(seed, number);
            if case % CASES_OF_PROCESS == 0 {
                caller = None;
            }
            let caller_of_case = match caller.take() {
                Some(caller) => caller,
                None => start(kind, &store).await,
            };
            let (verdict, injected, kept) = run_case(kind, caller_of_case, &store, random).await;
            caller = kept;
            let mut figures = self.figures.lock().unwrap();
            figures.count(kind, &verdict, &injected);
            drop(figures);
            if !matches!(verdict, Verdict::Answered | Verdict::Refused) {
                eprintln!("seed {seed}, case {number} of {lanes} lanes, {kind:?}: {verdict:?}");
            }
        }
    }
}

/// Starts what runs requests. A request that nothing befalls ends its initialization, which is no part of the time of
/// an invocation.
async fn start(kind: Kind, store: &Store) -> Caller {
    let mut caller = kind.start(store);
    let request = kind.choose_request(&mut Random::of_case(0, 0));
    store.authorize(request, 0).await;
    let first = caller
        .call(request, 0, Duration::from_secs(20), MARGIN)
        .await;
    assert!(first.is_ok_and(|answer| answer.status == 200));
    caller
}

/// Runs a case; returns the number of its faults, and the caller unless it is of no more use.
async fn run_case(
    kind: Kind,
    mut caller: Caller,
    store: &Store,
    mut random: Random,
) -> (Verdict, Vec<Injected>, Option<Caller>) {
    let request = kind.choose_request(&mut random);
    let secret = random.below(u64::MAX);
    let time = random.choose(&[600, 1200, 2500]);
    let time = Duration::from_millis(time);
    store.authorize(request, secret).await;
    store.begin(random);
    let started = Instant::now();
    let outcome = caller
        .call(request, secret, time + TO_RESPOND, MARGIN)
        .await;
    let took = started.elapsed();
    let injected = store.end();
    let is_of_use = outcome.is_ok();
    let case = Case {
        request,
        streams: request.is_list() && kind != Kind::BufferedUsers,
        injected: &injected,
        time,
        took,
    };
    let verdict = case.judge(outcome);
    if !matches!(verdict, Verdict::Answered | Verdict::Refused) {
        eprintln!("{request:?} with {time:?}, after {took:?}: {injected:?}");
    }
    (verdict, injected, is_of_use.then_some(caller))
}

#[tokio::test(flavor = "multi_thread")]
async fn responses_are_right_and_whole_or_refused_whatever_befalls_the_store() {
    let figures = inject(375, 1, 15).await;
    assert!(figures.is_flawless(), "{figures}");
    // Each kind of fault is injected alone once, even beyond the number.
    assert!(figures.faults >= 375 && figures.of_folder >= 75);
    assert!(figures.least() > 5, "{figures}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes; `just soak` runs it"]
async fn soak() {
    let setting = |name, default| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    let (faults, seed) = (setting("SOAK_FAULTS", 10_000), setting("SOAK_SEED", 1));
    let faults = usize::try_from(faults).unwrap();
    let figures = inject(faults, seed, 32).await;
    // On a line of its own, which the name of the test begins.
    writeln!(std::io::stdout(), "\n{figures}").unwrap();
    assert!(figures.is_flawless());
    assert!(figures.faults >= faults && figures.least() > 0);
}
