type Node =
  | { type: 'text'; value: string }
  | { type: 'element'; tagName: string; properties: Record<string, unknown>; children: Node[] }

const text = (value: string): Node => ({ type: 'text', value })
const element = (
  tagName: string,
  children: (Node | string)[],
  properties: Record<string, unknown> = {},
): Node => ({
  type: 'element',
  tagName,
  properties,
  children: children.map((child) => (typeof child === 'string' ? text(child) : child)),
})

const row = (cell: 'th' | 'td', texts: readonly string[]) =>
  element(
    'tr',
    texts.map((word) => element(cell, [word])),
  )

/** A document as the server answers it: a sanitised tree with one of every element that it lets through. */
export const SAMPLE_DOCUMENT = {
  type: 'root',
  children: [
    element('h3', ['North bed']),
    element('p', [
      'Sunflowers shade the beans, ',
      element('strong', ['which like it']),
      element('sup', ['1'], { 'data-citation': 'first' }),
      ', see ',
      element('a', ['the plan'], { href: '/design' }),
      ' and ',
      element('a', ['a page elsewhere'], { href: 'https://garden.example' }),
      '. Use ',
      element('code', ['npm start']),
      '.',
    ]),
    element('ul', [element('li', ['Water at dawn.']), element('li', ['Mulch in May.'])]),
    element('blockquote', [element('p', ['A garden is never finished.'])]),
    element('pre', [
      element('code', ['const beds = ["north", "south"]\nfor (const bed of beds) water(bed)']),
    ]),
    element('table', [
      element('thead', [row('th', ['Plant', 'Sown', 'Harvest'])]),
      element('tbody', [row('td', ['Beans', 'May', 'August']), row('td', ['Kale', 'June', 'Winter'])]),
    ]),
    element('hr', []),
    element('p', [
      'An image is a link: ',
      element('img', [], { src: 'https://garden.example/bed.png', alt: 'the bed' }),
    ]),
  ],
}
