/** A note with its folders, history and zone, for the tests of its page. */
import { submitAnswer } from '#contracts/inbox.contract.ts'
import { leftOutView, notePage, noteView } from '#contracts/note.contract.ts'
import { noteComparison, noteHistoryView } from '#contracts/note-history.contract.ts'
import { type NoteLevel, noteTreeView } from '#contracts/note-tree.contract.ts'
import { meView } from '#contracts/session.contract.ts'
import { suggestionAnswer } from '#contracts/suggestion.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'
import { LeftOut } from '../components/left-out.tsx'
import { NotePage } from '../components/note-page.tsx'

export const PATH = 'Q&A: часті – питання?.md'
const paragraph = (value: string) => ({ type: 'root', children: [{ type: 'text', value }] })
const block = (dataLine: number, value: string) => ({
  ...{ type: 'element', tagName: 'p', properties: { dataLine } },
  children: [{ type: 'text', value }],
})
/** As the server sends it; a footnote, which stands before the text in the file, comes after it. */
const documentOf = (value: string) => ({ type: 'root', children: [block(3, value), block(1, 'A footnote.')] })
export const ANNOTATION = {
  path: 'a',
  author: 'agent:gardener',
  at: '2026-05-01T10:00:00.000Z',
  proposal_id: 'prop_2026-05-01_000000000001',
  content: paragraph('Water it more.'),
  reading: false,
}
const NOTE = {
  path: PATH,
  title: 'Questions',
  folder: '',
  tags: ['domain:beds', 'inline'],
  revision: 'a'.repeat(40),
  sha256: 'b'.repeat(64),
  bytes: 10,
  lines: 1,
  frontmatter: { tags: ['domain:beds'] },
  content: documentOf('Questions.'),
  markdown: 'Questions.\n',
  headings: ['Sowing', 'Watering'].map((text, i) => ({ depth: 2 + i, text, id: `user-content-${text}` })),
  links: [
    ...[1, 2].map((line) => ({ target: 'South', label: 'South', path: 'South.md', line })),
    { target: 'Shed', label: 'Shed', path: null, line: 3 },
  ],
  backlinks: [{ path: 'Diary.md', title: 'Diary', text: 'Ask at the Questions first.' }],
  summary: { ...ANNOTATION, path: 's', content: paragraph('All in short.') },
  comments: [ANNOTATION],
  reading: false,
}

const LEVEL = { folders: [], notes: [], more: 0 }
const TREE: Record<string, Partial<NoteLevel>> = {
  '': {
    folders: [{ path: 'Beds', name: 'Beds', notes: 2 }],
    notes: [{ path: PATH, title: 'Questions' }],
  },
  Beds: { notes: [{ path: 'Beds/North.md', title: 'North bed' }], more: 1 },
}

const ME = {
  ...{
    role: 'guest' as const,
    identity: 'zone:0a0b0c0d',
    name: null,
    stepped_up: false,
    has_password: false,
  },
  ...{ expires_at: null, ended: null },
  zone: { zone_id: '0a0b0c0d', name: 'Readers', description: '', expires_at: '2099-01-01T00:00:00.000Z' },
}
const LIST = { revision: 'a'.repeat(40), next_cursor: null, total: 1, folders: [], tags: [], reading: false }
const hitAt = (line: number, excerpt: string, mark: [number, number]) => ({
  ...{ from: line, to: line, line, excerpt, score: 1 },
  marks: [mark],
})
const FOUND = {
  ...{ path: 'Beds/North.md', title: 'North bed', folder: 'Beds', tags: [], bytes: 10 },
  hit: hitAt(3, 'Leeks and garlic.', [0, 5]),
  other_hits: [hitAt(7, 'Water the Leeks.', [10, 15])],
}
const VERSION = {
  revision: 'c'.repeat(40),
  at: '2026-05-02T10:00:00.000Z',
  author: null,
  version: 'c'.repeat(40),
  message: 'Basil',
  proposal_id: null,
  removed: false,
  renamed_from: null,
}
const RENAMED = {
  ...{ ...VERSION, revision: 'd'.repeat(40), version: `${'d'.repeat(40)}.${'c'.repeat(40)}` },
  ...{ message: null, renamed_from: 'Old questions.md' },
}
const sideOf = (revision: string, what: string) => ({
  revision,
  markdown: `${what} grows.\n`,
  content: {
    type: 'root',
    children: [
      {
        type: 'element',
        tagName: 'p',
        properties: {},
        children: [{ type: 'text', value: `${what} grows.` }],
      },
    ],
  },
  reading: false,
})

/** The page of a note in front of procedures that answer as the contracts say; `given` is what was sent, `treeReads` which folders were asked for. */
export async function openNote(role: 'owner' | 'operator' | 'guest' = 'owner') {
  const given: unknown[] = []
  const treeReads: string[][] = []
  let isChanged = false
  let takesSuggestions = role === 'guest'
  let meReads = 0
  const procedures = {
    notes: router({
      get: query(noteView, (input: { path: string }) => {
        if (input.path !== PATH) throw new Refused('NOT_FOUND', 'There is no such note.')
        return isChanged ? { ...NOTE, sha256: 'f'.repeat(64), content: documentOf('Answers.') } : NOTE
      }),
      list: query(notePage, ({ folder }: { folder?: string }) => ({ ...LIST, items: folder ? [] : [FOUND] })),
      tree: query(noteTreeView, ({ folder }: { folder: string[] }) => {
        treeReads.push(folder)
        const levels = folder.map((one) => ({ folder: one, ...LEVEL, ...TREE[one] }))
        return { revision: 'a'.repeat(40), levels, reading: false }
      }),
      history: query(noteHistoryView, () => ({
        path: PATH,
        items: [VERSION, RENAMED],
        next_cursor: 'e'.repeat(40),
      })),
      compare: query(noteComparison, ({ from, to }: { from?: string; to: string }) => ({
        path: PATH,
        from: from ? sideOf(from, 'Leeks') : null,
        to: sideOf(to, 'Basil'),
      })),
      leftOut: query(leftOutView, () => ({
        revision: 'a'.repeat(40),
        total: 3,
        not_named: 1,
        reasons: [{ reason: 'backslash' as const, count: 2, paths: ['a\\b.md', 'c\\d.md'] }],
      })),
    }),
    sessions: router({
      me: query(meView, () => {
        meReads += 1
        return { ...ME, zone: { ...ME.zone, suggestions: takesSuggestions } }
      }),
    }),
    inbox: router({
      suggest: mutation(suggestionAnswer, (input: unknown) => {
        if (!takesSuggestions) throw new Refused('SUGGESTIONS_OFF', 'This zone takes no suggestions.')
        given.push(input)
        return { received: true as const }
      }),
      submit: mutation(submitAnswer, (input: { intent: unknown }) => {
        given.push(input.intent)
        const none = { inbox_id: 'inbox-1', resolution: null, correlation_id: 'c', repeated: false }
        return { ...none, status: 'processed' as const }
      }),
    }),
  }
  const at = `/notes/${encodeURIComponent(PATH)}`
  const page = (path = PATH) => (
    <>
      <LeftOut />
      <NotePage path={path} cited={null} revision={null} />
    </>
  )
  const change = () => {
    isChanged = true
  }
  const stopSuggestions = () => {
    takesSuggestions = false
  }
  return {
    given,
    treeReads,
    page,
    change,
    stopSuggestions,
    meReads: () => meReads,
    options: { procedures, at, role },
  }
}
