import { PHASE_DEVELOPMENT_SERVER, PHASE_PRODUCTION_BUILD, PHASE_PRODUCTION_SERVER } from 'next/constants.js'
import { createValidFileMatcher } from 'next/dist/server/lib/find-page-file.js'
import { expect, it } from 'vitest'
import configOf from '../../../next.config.mjs'

const PAGE = new URL('../../../app/design/page.dev.tsx', import.meta.url).pathname
const APP = new URL('../../../app', import.meta.url).pathname

/** Whether the framework takes the file for a page, by its own rule. */
const isPage = (phase: string, file: string) =>
  createValidFileMatcher(configOf(phase).pageExtensions, APP).isAppRouterPage(file)

it.each([
  [PHASE_DEVELOPMENT_SERVER, true],
  [PHASE_PRODUCTION_BUILD, false],
  [PHASE_PRODUCTION_SERVER, false],
])('in %s the design system is a page: %s', (phase, expected) => {
  expect(isPage(phase, PAGE)).toBe(expected)
})

it.each([PHASE_DEVELOPMENT_SERVER, PHASE_PRODUCTION_BUILD])('in %s every other page is one', (phase) => {
  expect(isPage(phase, `${APP}/(console)/jobs/page.tsx`)).toBe(true)
  expect(isPage(phase, `${APP}/health/route.ts`)).toBe(true)
})
