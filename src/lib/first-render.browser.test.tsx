import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { expect, it, onTestFinished } from 'vitest'
import { forgetDrafts, useDraft } from './use-draft.ts'

function Form() {
  const { values, restored } = useDraft('form', { text: 'nothing' }, '/page')
  return <p>{`${values.text} ${restored}`}</p>
}

it('a draft comes back on a page of the server after its first render, which is that of the server', async () => {
  sessionStorage.setItem('draft:anonymous:/page:form', JSON.stringify({ text: 'kept' }))
  onTestFinished(forgetDrafts)
  const place = document.createElement('div')
  place.innerHTML = renderToString(<Form />)
  expect(place.textContent).toBe('nothing false')
  const faults: unknown[] = []
  const root = hydrateRoot(place, <Form />, { onRecoverableError: (fault) => faults.push(fault) })
  onTestFinished(() => root.unmount())
  await expect.poll(() => place.textContent).toBe('kept true')
  expect(faults).toEqual([])
})
