import { icons } from 'lucide-react'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { ICON_NAMES, type IconName } from './icon-names.ts'

const inLucide = (name: IconName): keyof typeof icons =>
  name.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase()) as keyof typeof icons

function shapeOf(name: IconName): string {
  const markup = renderToStaticMarkup(createElement(icons[inLucide(name)]))
  const inside = markup.replace(/^<svg[^>]*>|<\/svg>$/g, '')
  return `<symbol id="${name}" viewBox="0 0 24 24">${inside}</symbol>`
}

it('has the shape of every icon in one file', async () => {
  const shapes = ICON_NAMES.map(shapeOf).join('\n')
  const file = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" aria-hidden="true">\n${shapes}\n</svg>\n`
  await expect(file).toMatchFileSnapshot('./icons.svg')
})
