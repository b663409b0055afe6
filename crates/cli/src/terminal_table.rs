//! Tables in a terminal.

use console::{Alignment, measure_text_width, pad_str, truncate_str};

/// A column: its header, and the text of each row. It is as wide as the widest of them.
pub(crate) struct TableColumn {
    header: String,
    alignment: Alignment,
    cells: Vec<String>,
    /// The width, in columns of the terminal. A cell that is wider is cut.
    pub(crate) width: usize,
}

impl TableColumn {
    pub(crate) fn new(header: &str, alignment: Alignment, cells: Vec<String>) -> Self {
        let widths = cells.iter().map(|cell| measure_text_width(cell));
        let width = widths.max().unwrap_or(0).max(measure_text_width(header));
        Self {
            header: header.to_owned(),
            alignment,
            cells,
            width,
        }
    }

    /// Returns the same column, no narrower than this.
    pub(crate) fn at_least(self, width: usize) -> Self {
        Self {
            width: self.width.max(width),
            ..self
        }
    }

    fn fitted(&self, cell: &str) -> String {
        let cut = truncate_str(cell, self.width, "…");
        pad_str(&cut, self.width, self.alignment, None).into_owned()
    }
}

/// The lines of a table, without newlines and what fills them up at their ends.
pub(crate) struct DrawnTable {
    pub(crate) header: String,
    pub(crate) rows: Vec<String>,
}

/// Puts columns side by side, with gaps of so many columns of the terminal.
pub(crate) fn draw(columns: &[TableColumn], gap: usize) -> DrawnTable {
    let line = |cell: &dyn Fn(&TableColumn) -> String| {
        let cells = columns.iter().map(|column| column.fitted(&cell(column)));
        let line = cells.collect::<Vec<_>>().join(&" ".repeat(gap));
        line.trim_end().to_owned()
    };
    let count = columns.iter().map(|column| column.cells.len()).max();
    let row = |n| line(&|column| column.cells.get(n).cloned().unwrap_or_default());
    DrawnTable {
        header: line(&|column| column.header.clone()),
        rows: (0..count.unwrap_or(0)).map(row).collect(),
    }
}
