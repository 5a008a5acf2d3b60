/**
 * What a page of the console costs before it shows: JavaScript of the first load, compressed one by one (scripts for browsers without modules
 * are not loaded by others), and the HTML itself. The messages are a script, too, but the same for all pages and kept by the browser, so they
 * are told apart from the code.
 */
import { gzipSync } from 'node:zlib'
import type { Page } from '@playwright/test'
import { PAGES, withConsole } from './console.ts'
import type { Figures } from './figures.ts'

const kb = (bytes: number): number => bytes / 1_000

function scriptsOf(html: string): string[] {
  const tags = [...html.matchAll(/<script[^>]*>/g)].map(([tag]) => tag)
  const loaded = tags.filter((tag) => !/\snomodule/i.test(tag))
  return [...new Set(loaded.flatMap((tag) => /\ssrc="([^"]+)"/.exec(tag)?.[1] ?? []))]
}

const isMessages = (address: string): boolean => address.startsWith('/messages/')

async function compressed(page: Page, address: string, known: Map<string, number>): Promise<number> {
  const bytes = known.get(address) ?? gzipSync(await (await page.request.get(address)).body()).length
  known.set(address, bytes)
  return bytes
}

export async function benchPageSizes(figures: Figures): Promise<void> {
  await withConsole({}, async ({ page }) => {
    const known = new Map<string, number>()
    for (const name of PAGES) {
      const html = await (await page.request.get(`/${name}`)).text()
      const bytes = { code: 0, messages: 0 }
      for (const script of scriptsOf(html))
        bytes[isMessages(script) ? 'messages' : 'code'] += await compressed(page, script, known)
      figures.add(`/${name}, JavaScript`, kb(bytes.code), {
        ...{ unit: 'kB gzip', aim: { most: 195 } },
        breakdown: { unit: 'kB gzip', parts: { 'messages besides': kb(bytes.messages) } },
      })
      const parts = { gzip: kb(gzipSync(html).length) }
      figures.add(`/${name}, HTML`, kb(Buffer.byteLength(html)), {
        ...{ unit: 'kB', aim: { most: 120 } },
        breakdown: { unit: 'kB', parts },
      })
    }
  })
}
