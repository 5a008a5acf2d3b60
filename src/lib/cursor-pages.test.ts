import { expect, it } from 'vitest'
import { pagesUntil } from './cursor-pages.ts'
import { makeQueryClient } from './query-client.ts'

/** A list of numbered items, two a page, first read as for the address of one of them; the pages that were asked for. */
async function firstRead(named: number, count: number): Promise<number[]> {
  const asked: number[] = []
  await makeQueryClient().fetchInfiniteQuery({
    queryKey: ['list'],
    initialPageParam: '0',
    queryFn: ({ pageParam }: { pageParam: string }) => {
      const at = Number(pageParam)
      asked.push(at / 2)
      const items = [at, at + 1].filter((n) => n < count)
      return { items, next_cursor: at + 2 < count ? String(at + 2) : null }
    },
    ...pagesUntil((n: number) => n === named),
  })
  return asked
}

it.each([
  ['the first page where that has it', 1, 9, [0]],
  ['on to the page that has it', 5, 9, [0, 1, 2]],
  ['to the end where none has it', 100, 5, [0, 1, 2]],
  ['no more than ten pages', 100, 99, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
])('reads %s', async (_, named, count, pages) => {
  expect(await firstRead(named, count)).toEqual(pages)
})
