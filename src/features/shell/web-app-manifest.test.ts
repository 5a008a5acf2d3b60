import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { LOCALES } from '#lib/i18n/locales.ts'
import { webAppManifest } from './web-app-manifest.ts'

const ROOT = new URL('../../../public', import.meta.url)
const PNG = '89504e470d0a1a0a'

/** Width and height as the file itself says. */
function sizeOf(src: string): string {
  const file = readFileSync(`${ROOT.pathname}${src}`)
  expect(file.subarray(0, 8).toString('hex')).toBe(PNG)
  return `${file.readUInt32BE(16)}x${file.readUInt32BE(20)}`
}

it.each(LOCALES)('says what a browser must know to install the console: %s', (locale) => {
  const manifest = webAppManifest(locale)
  expect(manifest).toMatchObject({ id: '/', start_url: '/', scope: '/', display: 'standalone', lang: locale })
  expect(manifest.name).not.toBe('')
  // A launcher cuts what is longer.
  expect(manifest.short_name?.length).toBeLessThanOrEqual(12)
  expect(manifest.icons?.map(({ purpose, sizes }) => `${purpose} ${sizes}`)).toEqual([
    'any 192x192',
    'any 512x512',
    'maskable 192x192',
    'maskable 512x512',
  ])
  for (const { src, sizes } of manifest.icons ?? []) expect(sizeOf(src), src).toBe(sizes)
  expect(sizeOf('/icons/apple-touch-icon.png')).toBe('180x180')
})
