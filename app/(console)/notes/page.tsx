import { cookies } from 'next/headers'
import { NotesPage } from '#features/notes/index.ts'
import { NOTE_FILTERS, notesInput } from '#features/notes/input.ts'
import { messages } from '#features/notes/messages.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { readFolders } from '#lib/preferences.ts'
import { openPage } from '../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('title') })

export default async function Page({ searchParams }: { searchParams: Promise<Record<string, string>> }) {
  const page = await openPage('note.read')
  const [given, jar] = await Promise.all([searchParams, cookies()])
  const values = Object.fromEntries(NOTE_FILTERS.map((name) => [name, given[name]]))
  await page.prefetchInfinite(page.trpc.notes.list.infiniteQueryOptions(notesInput(values), CURSOR_PAGES))
  return (
    <page.Hydrated>
      <NotesPage folders={readFolders(jar.get('folders')?.value)} />
    </page.Hydrated>
  )
}
