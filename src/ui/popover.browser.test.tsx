import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { Popover } from './popover.tsx'

const anchorAt = (top: number) => {
  const anchor = document.createElement('button')
  anchor.style.cssText = `position:fixed;top:${top}px;left:300px;height:20px;width:40px`
  document.body.append(anchor)
  return anchor
}

it.each([40, 230, 350, 600])(
  'never covers what opened it, %i pixels down, however long it is',
  async (top) => {
    await page.viewport(1280, 720)
    const anchor = anchorAt(top)
    const screen = await renderInConsole(
      <Popover anchor={anchor} title="Source" onClose={() => {}}>
        <p style={{ height: 900 }}>Long</p>
      </Popover>,
    )
    const panel = screen.getByRole('dialog', { name: 'Source' })
    await expect.element(panel).toBeVisible()
    const [own, at] = [panel.element().getBoundingClientRect(), anchor.getBoundingClientRect()]
    expect(own.top >= at.bottom || own.bottom <= at.top).toBe(true)
    expect(own.height).toBeGreaterThan(100)
    anchor.remove()
  },
)
