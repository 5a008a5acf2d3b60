import { type ColumnDef, createColumnHelper, type RowData, tableFeatures } from '@tanstack/react-table'
import type { ReactNode } from 'react'

/** The layout of a column besides its cell. */
export type ColumnMeta = {
  align?: 'end'
  /** A class for the width: 'w-28', 'w-full' (takes what is left), 'max-w-0 w-full' for a column that truncates. */
  width?: string
  /** Its text may take several lines. */
  wrap?: boolean
  /**
   * Its position on a phone's card: the title, a line below, a `fact` (a line with its header before the value, for what nobody
   * understands without it; none where the value is empty), the corner beside the title or, where it is too wide, the first line below,
   * or nowhere. Default: a line below.
   */
  card?: 'title' | 'line' | 'fact' | 'corner' | 'none'
  /** Set when the server can sort by it: the value of `sort` in the URL. */
  sort?: string
  /** What the head of the table shows above it, and a `fact` before its value. */
  header?: ReactNode
  /** The column's name where the header shows none. */
  name?: string
}

/** The features of the kit's tables: rows come filtered, sorted and paged from the server. */
export const kitFeatures = tableFeatures({ columnMeta: {} as ColumnMeta })
export type KitFeatures = typeof kitFeatures

/** Columns of a DataTable. */
export type Columns<Row extends RowData> = readonly ColumnDef<KitFeatures, Row, never>[]

export type Column<Row> = ColumnMeta & {
  id: string
  header: ReactNode
  cell: (row: Row) => ReactNode
}

/** Turns a plain list of columns into those of TanStack Table; call it once (module scope or useMemo). */
export function columnsOf<Row extends RowData>(columns: readonly Column<Row>[]): Columns<Row> {
  const helper = createColumnHelper<KitFeatures, Row>()
  return columns.map(({ id, cell, ...meta }) =>
    helper.display({ id, header: () => meta.header, cell: ({ row }) => cell(row.original), meta }),
  ) as unknown as Columns<Row>
}
