/** The product as a person has it: installed and built, in a home of its own, with a browser in it where the owner has signed in. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Browser, chromium, type Page } from '@playwright/test'
import { buildWeb, generateClient } from '#server/launch/build.mjs'
import { buildPrograms } from '#server/launch/programs.mjs'
import { type Api, apiOf } from '../fixtures/api.ts'
import { CHROMIUM_ARGS, findChromium } from '../fixtures/chromium.ts'
import { type Product, startProduct } from '../fixtures/product.ts'
import { enterByLink } from '../pages/auth.ts'

/** The lists that everybody sees. */
export const PAGES = [
  'inbox',
  'proposals',
  'runs',
  'jobs',
  'artifacts',
  'agents',
  'notes',
  'zones',
  'audit',
  'settings',
] as const

/** Nothing is built while something is timed. */
export async function buildAll(): Promise<void> {
  await generateClient()
  await buildPrograms()
  await buildWeb()
}

/** Gives `work` a folder for a home and removes it afterwards. */
export async function withHome<T>(work: (home: string) => Promise<T>): Promise<T> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-bench-'))
  try {
    return await work(home)
  } finally {
    fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

export async function withBrowser<T>(work: (browser: Browser) => Promise<T>): Promise<T> {
  const executablePath = await findChromium()
  const browser = await chromium.launch({
    args: CHROMIUM_ARGS,
    ...(executablePath ? { executablePath } : {}),
  })
  try {
    return await work(browser)
  } finally {
    await browser.close()
  }
}

export type Console = { browser: Browser; page: Page; api: Api; product: Product; home: string }

/** Starts everything, signs in, and ends everything after `work`. */
export async function withConsole(
  env: Record<string, string>,
  work: (console: Console) => Promise<void>,
): Promise<void> {
  await buildAll()
  await withHome((home) =>
    withBrowser(async (browser) => {
      const product = await startProduct({ home, env })
      try {
        const page = await (await browser.newContext({ baseURL: product.url })).newPage()
        await enterByLink(page, product.signInLink)
        await work({ browser, page, api: apiOf(page, product.url), product, home })
      } finally {
        await product.stop()
      }
    }),
  )
}
