import { stringify } from 'csv-stringify/sync'

export type Cell = string | number | boolean | null

/**
 * Lines of CSV (RFC 4180, `\n` at the end of each), the header first when it is asked for. A text that a spreadsheet would take for a formula gets an
 * apostrophe before it; a number stays one.
 */
export function csvLines(
  names: readonly string[],
  rows: readonly (readonly Cell[])[],
  header = false,
): string {
  return stringify(
    rows.map((row) => [...row]),
    {
      columns: [...names],
      header,
      cast: {
        string: (value) => ({ value, escape_formulas: true }),
        number: String,
        boolean: String,
      },
    },
  )
}
