import { cookies } from 'next/headers'
import { noteName } from '#domain/garden/garden-path.ts'
import { NotePage } from '#features/notes/index.ts'
import { citedPlace } from '#features/notes/input.ts'
import { readFolders } from '#lib/preferences.ts'
import { openPage } from '../../../open-page.tsx'

type Props = { params: Promise<{ path: string[] }>; searchParams: Promise<Record<string, string>> }

export const generateMetadata = async ({ params }: Props) => ({ title: noteName(await pathOf(params)) })

export default async function Page({ params, searchParams }: Props) {
  const page = await openPage('note.read')
  const [path, given, jar] = await Promise.all([pathOf(params), searchParams, cookies()])
  const cited = citedPlace(given)
  const note = page.trpc.notes.get.queryOptions({ path })
  // Cited lines are shown at their own revision, though the note be gone since.
  await (cited ? page.prefetch(note) : page.find(note))
  return (
    <page.Hydrated>
      <NotePage
        path={path}
        cited={cited}
        revision={given.revision ?? null}
        folders={readFolders(jar.get('folders')?.value)}
      />
    </page.Hydrated>
  )
}

const pathOf = async (params: Props['params']): Promise<string> => (await params).path.map(decoded).join('/')

/** A part of the address as it was meant; one that cannot be decoded stays as it is and is not found. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
