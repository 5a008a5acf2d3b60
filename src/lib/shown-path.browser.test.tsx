import { PathnameContext } from 'next/dist/shared/lib/hooks-client-context.shared-runtime'
import { expect, it, onTestFinished } from 'vitest'
import { render } from 'vitest-browser-react'
import { NavigationLine } from '#ui/navigation-progress.tsx'
import { isStillAt, showUrl, useShownPath } from './shown-path.ts'

/** The path as the router says it, which is `at`, and as the page has it. */
const Routed = ({ at }: { at: string }) => (
  <PathnameContext value={at}>
    <Shown />
  </PathnameContext>
)
const Shown = () => <output>{useShownPath()}</output>

async function open() {
  const before = window.location.href
  onTestFinished(() => window.history.replaceState(null, '', before))
  window.history.replaceState(null, '', '/list/a')
  const screen = await render(<Routed at="/list/a" />)
  const routed = (at: string) => screen.rerender(<Routed at={at} />)
  return { routed, path: () => expect.poll(() => screen.getByRole('status').element().textContent) }
}

it('is the path that was asked for before the router has it, and after', async () => {
  const { routed, path } = await open()
  await path().toBe('/list/a')
  showUrl('/list/b')
  await path().toBe('/list/b')
  await routed('/list/b')
  await path().toBe('/list/b')
})

it('is the last one that was asked for, however late the router says the others', async () => {
  const { routed, path } = await open()
  for (const id of ['b', 'c', 'd']) showUrl(`/list/${id}`, true)
  await routed('/list/b')
  await path().toBe('/list/d')
  await routed('/list/d')
  await path().toBe('/list/d')
})

it('is what the router says where somebody else went on', async () => {
  const { routed, path } = await open()
  showUrl('/list/b')
  await path().toBe('/list/b')
  await routed('/jobs')
  await path().toBe('/jobs')
  await routed('/list/a')
  await path().toBe('/list/a')
})

it('waits for the router where more than the path changes, so that both change together', async () => {
  const { routed, path } = await open()
  showUrl('/list?of=b')
  showUrl('/list/c?of=b')
  await path().toBe('/list/c')
  await routed('/list')
  await path().toBe('/list')
})

it('is left as soon as another page is on its way', async () => {
  const { path } = await open()
  await path().toBe('/list/a')
  expect(isStillAt('/list/a')).toBe(true)
  const line = await render(<NavigationLine />)
  expect(isStillAt('/list/a')).toBe(false)
  await line.unmount()
  showUrl('/list/b')
  expect(['/list/a', '/list/b'].map(isStillAt)).toEqual([false, true])
})
