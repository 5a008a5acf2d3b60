/** A note with what stands beside it, and the dialogs that propose more of it. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { page as browser, userEvent } from 'vitest/browser'
import { submitAnswer } from '#contracts/inbox.contract.ts'
import { leftOutView, notePage, noteView } from '#contracts/note.contract.ts'
import { noteComparison, noteHistoryView } from '#contracts/note-history.contract.ts'
import { type NoteTree, noteTreeView } from '#contracts/note-tree.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { LeftOut } from './left-out.tsx'
import { NotePage } from './note-page.tsx'
import { NotesPage } from './notes-page.tsx'

const t = textsOf('inbox')
const notes = textsOf('notes')
const PATH = 'Q&A: часті – питання?.md'
const paragraph = (value: string) => ({ type: 'root', children: [{ type: 'text', value }] })
const ANNOTATION = {
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
  content: {
    type: 'root',
    children: [
      {
        type: 'element',
        tagName: 'p',
        properties: {},
        children: [{ type: 'text', value: 'Questions.' }],
        position: { start: { line: 3 } },
      },
    ],
  },
  markdown: 'Questions.\n',
  headings: ['Sowing', 'Watering'].map((text, i) => ({ depth: 2 + i, text, id: `user-content-${text}` })),
  links: [1, 2].map((line) => ({ target: 'South', label: 'South', path: 'South.md', line })),
  backlinks: [],
  summary: { ...ANNOTATION, path: 's', content: paragraph('All in short.') },
  comments: [ANNOTATION],
  reading: false,
}

const LEVEL: NoteTree = { revision: 'a'.repeat(40), folders: [], notes: [], more: 0, reading: false }
const TREE: Record<string, Partial<NoteTree>> = {
  '': {
    folders: [{ path: 'Beds', name: 'Beds', notes: 2 }],
    notes: [{ path: PATH, title: 'Questions' }],
  },
  Beds: { notes: [{ path: 'Beds/North.md', title: 'North bed' }], more: 1 },
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
  message: 'Basil',
  proposal_id: null,
  removed: false,
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

async function open(role: 'owner' | 'operator' | 'guest' = 'owner') {
  const given: unknown[] = []
  const procedures = {
    notes: router({
      get: query(noteView, (input: { path: string }) => {
        if (input.path !== PATH) throw new Refused('NOT_FOUND', 'There is no such note.')
        return NOTE
      }),
      list: query(notePage, () => ({ ...LIST, items: [FOUND] })),
      tree: query(noteTreeView, ({ folder }: { folder: string }) => ({ ...LEVEL, ...TREE[folder] })),
      history: query(noteHistoryView, () => ({
        path: PATH,
        items: [VERSION, { ...VERSION, revision: 'd'.repeat(40), message: null }],
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
    inbox: router({
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
  return { given, page, options: { procedures, at, role } }
}

describe('a note', () => {
  it('shows its summary and its comments with who, when and by which proposal', async () => {
    const { page, options } = await open()
    const screen = await renderInConsole(page(), options)
    await expect.element(screen.getByText('All in short.')).toBeVisible()
    const comment = screen.getByRole('region', { name: notes('comments') })
    await expect.element(comment.getByText('agent:gardener')).toBeVisible()
    const link = comment.getByRole('link', { name: t('kinds.proposal') })
    await expect.element(link).toHaveAttribute('href', `/proposals/${ANNOTATION.proposal_id}`)
    expect(screen.getByRole('link', { name: 'South' }).elements()).toHaveLength(1)
    await screen.getByText(notes('leftOut', { n: 3 })).click()
    await expect.element(screen.getByText('c\\d.md')).toBeVisible()
    await expectAccessible()
  })

  it('that is not there says so, and offers the others', async () => {
    const { page, options } = await open('guest')
    const screen = await renderInConsole(page('none.md'), options)
    await expect.element(screen.getByText(notes('missing'))).toBeVisible()
    await expect.element(screen.getByRole('alert')).not.toBeInTheDocument()
  })
})

describe('beside a note', () => {
  it('the folders: one tab stop, arrows and letters, a drawer on a phone', async () => {
    const { page, options } = await open('guest')
    const screen = await renderInConsole(page(), options)
    const item = (name: string | RegExp) => screen.getByRole('treeitem', { name })
    await expect.element(item('Questions')).toHaveAttribute('aria-current', 'page')
    await item('Questions').element().focus()
    await userEvent.keyboard('{ArrowUp}{ArrowRight}')
    await expect.element(item('North bed')).toHaveAttribute('aria-level', '2')
    await expect.element(item('Beds 2')).toHaveFocus()
    await userEvent.keyboard('n')
    await expect.element(item('North bed')).toHaveFocus()
    await userEvent.keyboard('{End}{Home}{ArrowLeft}')
    await expect.element(item('North bed')).not.toBeInTheDocument()
    expect(screen.container.querySelectorAll('[role=treeitem][tabindex="0"]')).toHaveLength(1)
    await expectAccessible()
    await browser.viewport(390, 844)
    onTestFinished(() => browser.viewport(1280, 800))
    await userEvent.keyboard('f')
    const drawer = screen.getByRole('dialog', { name: notes('tree') })
    await expect.element(drawer.getByRole('treeitem', { name: 'Questions' })).toBeVisible()
    await expectAccessible()
    await drawer.getByRole('link', { name: 'Questions' }).click()
    await expect.element(drawer).not.toBeInTheDocument()
  })

  it('its headings, in a list or in a disclosure', async () => {
    const { page, options } = await open('guest')
    const screen = await renderInConsole(page(), options)
    const contents = screen.getByRole('navigation', { name: textsOf('ui')('contents') })
    await expect
      .element(contents.getByRole('link', { name: 'Watering' }))
      .toHaveAttribute('href', '#user-content-Watering')
  })
})

describe('a search', () => {
  it('shows its passages with the words marked, each a link to its place', async () => {
    const { options } = await open('guest')
    const screen = await renderInConsole(<NotesPage />, { ...options, at: '/notes?q=leek' })
    const link = screen.getByRole('link', { name: 'Water the Leeks.' })
    await expect.element(link).toHaveAttribute('href', '/notes/Beds/North.md?line=7&find=leeks')
    expect(link.element().querySelector('mark')?.textContent).toBe('Leeks')
    await expectAccessible()
  })

  it('leads to the line, which has the focus, with the words marked', async () => {
    const { page, options } = await open('guest')
    const at = `${options.at}?line=4&find=questions`
    const screen = await renderInConsole(page(), { ...options, at })
    const block = screen.getByText('Questions.', { exact: true })
    await expect.element(block).toHaveFocus()
    const marked = [...(CSS.highlights.get('found') ?? [])].map(String)
    expect(marked).toEqual(['Questions'])
    await screen.unmount()
    expect(CSS.highlights.has('found')).toBe(false)
  })
})

describe('the history', () => {
  it('opens a version to what it changed: lines, words and as it reads, turned by o', async () => {
    const { page, options } = await open('guest')
    const screen = await renderInConsole(page(), { ...options, at: `${options.at}?view=history` })
    await screen.getByRole('button', { name: 'Basil' }).click()
    const view = screen.getByRole('region', { name: PATH })
    await expect.element(view.getByText('Basil grows.').first()).toBeVisible()
    await userEvent.keyboard('o')
    await expect.element(view.getByRole('deletion')).toHaveTextContent('Leeks')
    await expect.element(view.getByRole('insertion')).toHaveTextContent('Basil')
    await userEvent.keyboard('o')
    await expect.element(view.getByRole('insertion')).toHaveTextContent('Basil')
    expect(view.element().querySelector('.prose p ins')?.textContent).toBe('Basil')
    await expectAccessible()
    await screen.getByRole('combobox', { name: notes('against') }).selectOptions('')
    await expect.element(view.getByText('+1')).toBeVisible()
    await screen.getByRole('button', { name: notes('changedOnce') }).click()
    await expect.element(screen.getByText(notes('beforeUnknown'))).toBeVisible()
  })
})

describe('proposing', () => {
  it('tags: what is no tag is said at once; those of the front matter can be taken away', async () => {
    const { given, page, options } = await open()
    const screen = await renderInConsole(page(), options)
    await expect.element(screen.getByText('All in short.')).toBeVisible()
    await userEvent.keyboard('t')
    const field = screen.getByRole('textbox', { name: new RegExp(`^${t('addTags')}`) })
    await field.fill('#domain:execution a.b')
    await expect.element(screen.getByText(t('notATag', { tag: 'a.b' }))).toBeVisible()
    await field.fill('#domain:execution, domain:beds')
    expect(screen.getByRole('checkbox').elements()).toHaveLength(1)
    await screen.getByRole('checkbox', { name: 'domain:beds' }).click()
    await expectAccessible()
    await screen.getByRole('button', { name: t('propose') }).click()
    await expect.element(screen.getByText(t('proposed'))).toBeVisible()
    const payload = { add: ['domain:execution'], remove: ['domain:beds'] }
    expect(given).toEqual([{ action: 'propose-tag', target: `notes/${PATH}`, payload }])
  })

  it('a comment and a summary, each with a draft of its own', async () => {
    const { given, page, options } = await open()
    const screen = await renderInConsole(page(), options)
    await expect.element(screen.getByText('All in short.')).toBeVisible()
    await userEvent.keyboard('c')
    await screen.getByRole('textbox', { name: new RegExp(`^${t('commentText')}`) }).fill('More **water**.')
    await userEvent.keyboard('{Escape}')
    await userEvent.keyboard('s')
    await screen.getByRole('textbox', { name: new RegExp(`^${t('summaryText')}`) }).fill('Short.')
    await screen.getByRole('button', { name: t('propose') }).click()
    await expect.element(screen.getByRole('dialog')).not.toBeInTheDocument()
    await userEvent.keyboard('c')
    await expect.element(screen.getByRole('textbox')).toHaveValue('More **water**.')
    await screen.getByRole('button', { name: t('propose') }).click()
    await expect.element(screen.getByRole('dialog')).not.toBeInTheDocument()
    expect(given).toMatchObject([
      { action: 'propose-summary', payload: { text: 'Short.\n' } },
      { action: 'propose-comment', payload: { text: 'More **water**.\n', kind: 'comment' } },
    ])
  })

  it('is the owner’s: an operator is told, a guest sees no buttons', async () => {
    const { page, options } = await open('operator')
    const screen = await renderInConsole(page(), options)
    const button = screen.getByRole('button', { name: t('comment') })
    await expect.element(button).toHaveAttribute('aria-disabled', 'true')
    await screen.unmount()
    const guest = await renderInConsole(page(), { ...options, role: 'guest' })
    await expect.element(guest.getByText('All in short.')).toBeVisible()
    await expect.element(guest.getByRole('button', { name: t('comment') })).not.toBeInTheDocument()
  })
})
