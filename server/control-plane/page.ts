import fs from 'node:fs'
import path from 'node:path'
import { securityHeaders } from '#server/http/headers.ts'

/** The files of the page; nothing else below `/static/` is served. */
export const PAGE_FILES = [
  'ui.html',
  'ui.css',
  'ui.js',
  'ui-api.js',
  'ui-elements.js',
  'ui-panels.js',
  'ui-texts.js',
] as const
type PageFile = (typeof PAGE_FILES)[number]

const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
}
const typeOf = (name: PageFile): string => TYPES[name.split('.')[1] as string] as string

/** Its own files and no other: nothing inline, nothing from elsewhere. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Where the console's address stands in the page. */
const CONSOLE = '{{console}}'

/** Reads the page once; `answer` gives one of its files. */
export function openPage(consoleUrl: string): { answer(name: PageFile): Response } {
  const folder = path.join(import.meta.dirname, 'static')
  const texts = new Map(PAGE_FILES.map((name) => [name, fs.readFileSync(path.join(folder, name), 'utf8')]))
  texts.set('ui.html', (texts.get('ui.html') ?? '').replaceAll(CONSOLE, escaped(consoleUrl)))
  const headers = { ...securityHeaders({ nonce: null, secure: false }), 'Content-Security-Policy': POLICY }
  return {
    answer: (name) =>
      new Response(texts.get(name), { headers: { ...headers, 'content-type': typeOf(name) } }),
  }
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
