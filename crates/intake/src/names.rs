//! What the names of columns and members say: which field each may hold. A new service's export is taught here first.

use crate::dates::Numbers;
use crate::rules::RecordKind;

/// What a name says, from the best. Names of the last rank say nothing.
pub(crate) type Rank = usize;

pub(crate) const UNRANKED: Rank = 100;

/// Returns whether a column of this name is a field, or may be one.
pub(crate) fn is_known_name(name: &str, kind: RecordKind) -> bool {
    kind.has_field(name) || is_rating_name(name) || is_date_name(name)
}

/// Returns whether a name says that it is the instant of a response.
pub(crate) fn is_date_name(name: &str) -> bool {
    rank_of_date(name).is_some_and(|rank| rank < UNRANKED)
}

/// Returns whether a name says that it is a rating.
pub(crate) fn is_rating_name(name: &str) -> bool {
    rank_of_rating(name).is_some_and(|rank| rank < UNRANKED)
}

/// Returns whether a name says that it is a rating of the question for NPS.
pub(crate) fn is_nps_name(name: &str) -> bool {
    matches!(rank_of_rating(name), Some(0 | OF_QUESTION))
}

/// Returns whether a name is that of a rating and of nothing else.
pub(crate) fn is_plain_rating_name(name: &str) -> bool {
    matches!(rank_of_rating(name), Some(0..=OF_QUESTION))
}

/// The rank of dates of which none is the instant of an answer, and of others behind it.
pub(crate) const OF_ANSWER: Rank = 4;

/// Returns whether a name is that of a survey, or of its type.
pub(crate) fn is_survey_name(name: &str) -> bool {
    const SURVEYS: &str = "campaign survey form questionnaire";
    const PARTS: &str = "campaign survey form questionnaire name type title id";
    let words = words(name);
    let is_among = |word: Option<&String>, wanted| word.is_some_and(|word| is_one_of(word, wanted));
    words.len() <= 2 && is_among(words.first(), SURVEYS) && is_among(words.last(), PARTS)
}

/// Returns the words of a name in lower case: `surveyed_at` and `Surveyed At` have the same.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lowercase = false;
    for c in name.chars() {
        let begins = !c.is_alphanumeric() || (c.is_uppercase() && was_lowercase);
        if begins && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        was_lowercase = c.is_lowercase();
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
    }
    words
}

/// Returns the first of these groups of which a word has one of the beginnings.
fn rank_among(words: &[String], groups: &[&str]) -> Option<Rank> {
    let has = |beginning| words.iter().any(|word| word.starts_with(beginning));
    groups
        .iter()
        .position(|beginnings| beginnings.split(' ').any(has))
}

/// Returns whether one of the words is among these.
fn has_word(words: &[String], wanted: &str) -> bool {
    words.iter().any(|word| is_one_of(word, wanted))
}

fn is_one_of(word: &str, wanted: &str) -> bool {
    wanted.split(' ').any(|one| one == word)
}

/// What the words of the question for NPS begin with.
const RECOMMEND: &str = "recommend recommand recomend recomien recomand raccomand consigli empfehl weiterempfehl \
    aanbevel aanbeveel rekommend anbefal suositel doporuč odporuč polec ajánl tavsiye";

fn is_question_for_nps(words: &[String]) -> bool {
    rank_among(words, &[RECOMMEND, "likel"]).is_some()
}

/// The rank of names that have one.
const OF_QUESTION: Rank = 3;

/// Returns how much a name says that it is a rating; `None` if it says that it is something else.
pub(crate) fn rank_of_rating(name: &str) -> Option<Rank> {
    const OTHERS: &str = "id ids class group category segment type quarter month week day days year date time age \
        count number no total seats version code zip phone promoters passives detractors responses row rank duration \
        seconds ms progress status latitude longitude comment comments reason feedback text verbatim max min avg average \
        mean sum";
    let words = words(name);
    let is_question = is_question_for_nps(&words);
    let is_flag = has_word(words.get(..1)?, "is has was can");
    // A question has many words, of which any may be among the others.
    if !is_question && (is_flag || has_word(&words, OTHERS)) {
        return None;
    }
    let is_alone = words.len() == 1;
    Some(match rank_among(&words, &["nps", "score", "rating"]) {
        Some(rank) if rank == 0 || is_alone => rank,
        _ if is_question => OF_QUESTION,
        Some(_) => 4,
        None => UNRANKED,
    })
}

/// Returns whether a name or path is of what describes a person or company rather than an answer.
pub(crate) fn is_of_person(path: &str) -> bool {
    const PEOPLE: &str = "user_properties traits account company organization";
    const SCORED: &str = "health lead engagement churn risk credit";
    let is_scored = has_word(&words(path), SCORED) && !is_nps_name(path);
    let place = path.split_once('.');
    is_scored || place.is_some_and(|(place, _)| is_one_of(place, PEOPLE))
}

/// Returns whether a name says that it is a question of another scale.
pub(crate) fn is_of_another_scale(name: &str) -> bool {
    let words = words(name);
    let is_question = is_question_for_nps(&words);
    !is_question && rank_among(&words, &["csat ces effort satisf ease"]).is_some()
}

/// Returns how much a name says that it is the instant of a response; `None` if it says that it is another.
pub(crate) fn rank_of_date(name: &str) -> Option<Rank> {
    const OTHERS: &str = "birth birthday dob original updated modified expires expiry renewal signup exported id no number phone \
        ms seconds duration contract trial subscription period quarter version";
    // What a response began with, or was asked by, is its date only if nothing says when it was answered.
    const EARLY: [&str; 2] = [
        "created creation",
        "start started begin began begun sent delivered",
    ];
    const ANSWERED: [&str; 5] = [
        "surveyed",
        "submit submitted submission",
        "responded response answered answer recorded",
        "end ended completed completion finished",
        "timestamp date datetime time when day",
    ];
    let words = words(name);
    let among = |groups: &[&str]| groups.iter().position(|group| has_word(&words, group));
    let early = among(&EARLY).map(|rank| rank + 10);
    let rank = early.or_else(|| among(&ANSWERED)).unwrap_or(UNRANKED);
    (!has_word(&words, OTHERS)).then_some(rank)
}

/// Returns which numbers of this name may be dates, as of databases and spreadsheets.
pub(crate) fn numbers_of(name: &str) -> Numbers {
    let words = words(name);
    if has_word(
        &words,
        "created date datetime timestamp submitted surveyed answered at",
    ) {
        Numbers::All
    } else if is_date_name(name) || has_word(&words, "ts month") {
        Numbers::Long
    } else {
        Numbers::None
    }
}

/// Returns how much a name says that it names users; `None` if it says nothing of that.
pub(crate) fn rank_of_user_id(name: &str) -> Option<Rank> {
    // Ids of other things, as of a plan, are rarely different in each record, but the more a name says the better.
    const PEOPLE: &str = "user customer contact person people visitor member subscriber client";
    let words = words(name);
    let is_id = has_word(&words, "id uid uuid key");
    match &*words {
        [word] if is_one_of(word, "userid uid") => Some(0),
        _ if is_id && has_word(&words, PEOPLE) => Some(0),
        [_] if is_id => Some(1),
        _ if has_word(&words, "email mail") => Some(2),
        _ => None,
    }
}

/// Returns whether a name is that of a count of ratings.
pub(crate) fn is_count_of_ratings(name: &str) -> bool {
    const COUNTED: &str = "promoters passives detractors promotoren passive neutrale detraktoren kritiker promoteurs \
        passifs détracteurs promotores pasivos detractores neutros passivos detratores";
    has_word(&words(name), COUNTED)
}

/// Returns whether a name is that of a count of answers, and of nothing else.
pub(crate) fn is_count_name(name: &str) -> bool {
    const COUNT: &str = "n cnt count counts qty volume num frequency freq number total responses answers votes respondents anzahl \
        häufigkeit antworten stimmen nombre effectif effectifs fréquence réponses votes número numero cantidad \
        frecuencia respuestas votos quantidade frequência contagem respostas";
    const OF: &str = "of no the response answer surveys ratings scores nps der de of des 1";
    let words = words(name);
    has_word(&words, COUNT)
        && words
            .iter()
            .all(|word| word.is_empty() || is_one_of(word, COUNT) || is_one_of(word, OF))
}

/// Returns whether a name may be that of a count of answers, or of a share of them: users, percent, a month.
pub(crate) fn may_be_count_name(name: &str) -> bool {
    const COUNT: &str = "users people customers clients size percent percentage pct share prozent anteil pourcentage \
        porcentaje";
    let words = words(name);
    let is_share = name.trim() == "%" || words.iter().all(|word| is_one_of(word, COUNT));
    is_share || without_period(name).is_some_and(|rest| rest.is_empty())
}

/// Returns the words of a name without its months, quarters and years, if it has any: all waves of a survey have them.
pub(crate) fn without_period(name: &str) -> Option<Vec<String>> {
    const PERIODS: &str = "january february march april may june july august september october november december jan feb \
        mar apr jun jul aug sep sept oct nov dec q1 q2 q3 q4 h1 h2 wave";
    let is_number = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_year =
        |word: &String| word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
    let is_period = |word: &String| is_one_of(word, PERIODS) || (is_number(word) && is_year(word));
    let mut words = words(name);
    let has_period = words.iter().any(is_period);
    words.retain(|word| !is_period(word) && !is_number(word));
    has_period.then_some(words)
}

/// Returns whether a name is that of somebody's words.
pub(crate) fn is_comment_name(name: &str) -> bool {
    const COMMENTS: &str = "comment comments feedback reason reasons text verbatim why name kommentar grund commentaire \
        comentario comentário motivo";
    has_word(&words(name), COMMENTS)
}

/// Returns whether a name is that of ids, whatever these name.
pub(crate) fn is_id_name(name: &str) -> bool {
    has_word(&words(name), "id ids uid uuid guid email mail respondent")
}

/// Returns whether a name is that of ids of whole answers, which may be to several questions.
pub(crate) fn is_response_id_name(name: &str) -> bool {
    has_word(&words(name), "response responses submission answer entry") && is_id_name(name)
}

/// Returns whether a name is that of kinds of events.
pub(crate) fn is_event_name(name: &str) -> bool {
    has_word(&words(name), "event events")
}

const QUESTIONS: &str = "question questions metric metrics kpi measure frage pregunta pergunta";

/// Returns whether a name has a word for questions.
pub(crate) fn is_question_name(name: &str) -> bool {
    has_word(&words(name), QUESTIONS)
}

/// Returns whether a name of questions has no other words than those.
pub(crate) fn is_plain_question_name(name: &str) -> bool {
    const OF: &str = "id key name title text type label code";
    let words = words(name);
    let mut words = words.iter();
    words.all(|word| is_one_of(word, QUESTIONS) || is_one_of(word, OF))
}

/// What the values of a column say of its rows.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Flag {
    /// Whether an answer is whole.
    Whole,
    /// How far it came, beside other states or types.
    Status,
    /// Whether it does not count, as a test.
    Excluded,
    /// Whether nobody answered.
    Dismissed,
}

impl Flag {
    /// Returns what a column or path of this name says, if that is of answers and of nothing else.
    pub(crate) fn of(name: &str) -> Option<Self> {
        const WHOLE: &str = "complete completed finished answered submitted responded";
        const EXCLUDED: &str = "test deleted spam excluded invalid duplicate";
        const ANSWERS: &str = "is has response survey record meta metadata";
        let mut words = words(name);
        words.retain(|word| !word.is_empty() && !is_one_of(word, ANSWERS));
        match &words[..] {
            [word] if is_one_of(word, WHOLE) => Some(Self::Whole),
            [word] if is_one_of(word, EXCLUDED) => Some(Self::Excluded),
            [word] if is_one_of(word, "dismissed skipped") => Some(Self::Dismissed),
            [word] if is_one_of(word, "status state type") => Some(Self::Status),
            _ => None,
        }
    }

    /// Returns whether a value says that an answer counts, if it says either.
    pub(crate) fn counts(self, value: &str) -> Option<bool> {
        const TRUE: &str = "true 1 yes t y ja x";
        const FALSE: &str = "false 0 no f n nein";
        let value = value.to_lowercase();
        let (counting, excluded) = match self {
            Self::Whole => (TRUE, FALSE),
            Self::Status if !is_one_of(&value, "incomplete partial started") => return Some(true),
            Self::Status => return Some(false),
            Self::Excluded | Self::Dismissed => (FALSE, TRUE),
        };
        let is_counting = is_one_of(&value, counting);
        (is_counting || is_one_of(&value, excluded)).then_some(is_counting)
    }
}

/// Returns whether a text is what a row of totals is called.
pub(crate) fn is_total(text: &str) -> bool {
    const TOTALS: [&str; 9] = [
        "grand total",
        "total",
        "totals",
        "sum",
        "gesamt",
        "gesamtsumme",
        "summe",
        "somme",
        "suma",
    ];
    let name = text.trim_end_matches(':');
    TOTALS.iter().any(|total| name.eq_ignore_ascii_case(total))
}

/// Returns whether a text names NPS, or the question for it.
pub(crate) fn names_nps(text: &str) -> bool {
    rank_among(&words(text), &["nps", RECOMMEND]).is_some()
}

/// Returns whether a name may be that of times of the day, which are no durations.
pub(crate) fn is_time_name(name: &str) -> bool {
    let words = words(name);
    has_word(&words, "time hour") && !has_word(&words, "to spent taken duration zone on elapsed")
}

/// The words that stand for an absent value where numbers or dates are.
pub(crate) const NULLS: [&str; 12] = [
    "NULL", "null", "Null", "NA", "N/A", "n/a", "#N/A", "None", "nan", "NaN", r"\N", "-",
];

/// Returns whether a word stands for an absent value where numbers or dates are.
pub(crate) fn is_null_word(text: &str) -> bool {
    NULLS.contains(&text)
}

/// What a member of a document says of a list of which it has a page.
pub(crate) enum Paged {
    /// That another page follows, if it has a value.
    Next,
    /// How many records there are.
    Records,
    /// How many pages there are.
    Pages,
    /// That there is something of this kind within it.
    Around,
}

/// Returns what a member of this name says.
pub(crate) fn paged(name: &str) -> Option<Paged> {
    const NEXT: &str = "next more continuation truncated evaluated";
    const OF_NEXT: &str = "next more continuation truncated evaluated last has is page pages token cursor link url uri \
        href offset key after start marker odata results records items data available";
    const RECORDS: &str = "total count items results records responses elements rows entries";
    const AROUND: &str = "page paging pagination pager links meta metadata cursor cursors";
    let words = words(name);
    let are_all = |wanted| words.iter().all(|word| is_one_of(word, wanted));
    match &*words {
        [page] if page == "page" => Some(Paged::Around),
        _ if are_all(OF_NEXT) && has_word(&words, NEXT) => Some(Paged::Next),
        _ if are_all(RECORDS) && has_word(&words, "total count") => Some(Paged::Records),
        _ if are_all("total count pages page last") => Some(Paged::Pages),
        _ => has_word(&words, AROUND).then_some(Paged::Around),
    }
}
