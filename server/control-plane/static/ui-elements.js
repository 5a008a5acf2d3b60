/** Elements without markup: every text becomes a text node, so a name is never read as HTML. */

export const byId = (id) => document.getElementById(id)

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value)
    else if (value === true) made.setAttribute(name, '')
    else if (value !== false && value !== undefined) made.setAttribute(name, value)
  }
  made.append(...children.map((child) => (child instanceof Node ? child : String(child ?? '–'))))
  return made
}

/** A button whose place keeps the focus when its table is drawn again. */
export const button = (label, { place, ...attributes }) =>
  element('button', { type: 'button', 'data-place': place, ...attributes }, label)

export function table(caption, columns, rows) {
  const head = columns.map((column) => element('th', { scope: 'col' }, column))
  const body = rows.map((cells) => element('tr', {}, ...cells.map((cell) => element('td', {}, cell))))
  return element(
    'table',
    { 'aria-label': caption },
    element('thead', {}, element('tr', {}, ...head)),
    element('tbody', {}, ...body),
  )
}

export const facts = (pairs) =>
  element(
    'dl',
    {},
    ...pairs.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))),
  )

/** Puts content in the place of what was there, and gives the focus back to where it was. */
export function fill(container, ...content) {
  const place = container.contains(document.activeElement) ? document.activeElement.dataset.place : undefined
  container.replaceChildren(...content)
  if (place === undefined) return
  for (const one of container.querySelectorAll('[data-place]')) if (one.dataset.place === place) one.focus()
}

/** Asks before something is changed; true for yes. */
export function confirmed(title, explanation, yes) {
  const dialog = byId('confirm')
  byId('confirm-title').textContent = title
  byId('confirm-text').textContent = explanation
  byId('confirm-yes').textContent = yes
  dialog.returnValue = 'cancel'
  dialog.showModal()
  return new Promise((resolve) =>
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true }),
  )
}
