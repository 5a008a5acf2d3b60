/** What a tree shows and what a key does in it, by the tree pattern of WAI-ARIA. Pure, so that its cases are rows of a test. */
export type TreeNode = {
  id: string
  label: string
  /** Where it leads. */
  href: string
  /** Shown behind the label. */
  count?: number
  /** A branch, open or not; a leaf has none. */
  children?: readonly TreeNode[]
}

/** A row on screen; `at` is its place among its siblings, from 1. */
export type TreeRow = { node: TreeNode; level: number; at: number; of: number; parent: string | null }

export const isBranch = ({ children }: TreeNode): boolean => children !== undefined

/** The rows in the order of the screen: what lies in closed branches is left out. */
export function treeRows(nodes: readonly TreeNode[], open: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = []
  const add = (siblings: readonly TreeNode[], level: number, parent: string | null) => {
    for (const [i, node] of siblings.entries()) {
      rows.push({ node, level, at: i + 1, of: siblings.length, parent })
      if (node.children && open.has(node.id)) add(node.children, level + 1, node.id)
    }
  }
  add(nodes, 1, null)
  return rows
}

export type TreeStep =
  | { kind: 'focus'; id: string }
  | { kind: 'toggle'; ids: readonly string[]; open: boolean }
  | null

type Where = { rows: readonly TreeRow[]; open: ReadonlySet<string>; id: string }

/** What a key does on the row `id`; null where the tree has no use for it. `Enter` is the link's own. */
export function treeStep(key: string, { rows, open, id }: Where): TreeStep {
  const i = rows.findIndex((row) => row.node.id === id)
  const row = rows[i]
  if (!row) return null
  const focus = (to: TreeRow | undefined): TreeStep => (to ? { kind: 'focus', id: to.node.id } : null)
  const isOpen = isBranch(row.node) && open.has(id)
  switch (key) {
    case 'ArrowDown':
      return focus(rows[i + 1])
    case 'ArrowUp':
      return focus(rows[i - 1])
    case 'Home':
      return focus(rows[0])
    case 'End':
      return focus(rows.at(-1))
    case 'ArrowRight':
      if (!isBranch(row.node)) return null
      return isOpen
        ? focus(rows[i + 1]?.parent === id ? rows[i + 1] : undefined)
        : { kind: 'toggle', ids: [id], open: true }
    case 'ArrowLeft':
      if (isOpen) return { kind: 'toggle', ids: [id], open: false }
      return row.parent === null ? null : { kind: 'focus', id: row.parent }
    case '*':
      return { kind: 'toggle', ids: branchesBeside(rows, row), open: true }
    default:
      return null
  }
}

const branchesBeside = (rows: readonly TreeRow[], { parent }: TreeRow): string[] =>
  rows.filter((row) => row.parent === parent && isBranch(row.node)).map(({ node }) => node.id)

const fold = (text: string): string => text.normalize('NFC').toLocaleLowerCase()

/**
 * The row that begins with what was typed: searched from the row behind `id`, around the end; while more letters are typed the row itself
 * counts, too. One letter again and again goes through the rows that begin with it.
 */
export function typedRow(rows: readonly TreeRow[], id: string, typed: string): string | null {
  const letters = [...fold(typed)]
  const isRepeated = letters.every((letter) => letter === letters[0])
  const wanted = isRepeated ? (letters[0] ?? '') : letters.join('')
  if (wanted.trim() === '') return null
  const from = rows.findIndex((row) => row.node.id === id) + (isRepeated ? 1 : 0)
  const around = [...rows.slice(from), ...rows.slice(0, from)]
  return around.find(({ node }) => fold(node.label).startsWith(wanted))?.node.id ?? null
}
