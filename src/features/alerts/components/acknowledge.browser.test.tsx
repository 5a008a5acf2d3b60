/** A note about an alert is kept while it is written, though the alert may close by itself meanwhile. */
import { expect, it } from 'vitest'
import { z } from 'zod'
import { query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { alertLedger, anAlert, idOf } from '../testing/alerts.ts'
import { AlertPage } from './alert-page.tsx'
import { AlertsPage } from './alerts-page.tsx'

const t = textsOf('alerts')
const AT = '2026-03-02T10:00:00.000Z'

it.each([
  ['its page', <AlertPage key="page" id={idOf(1)} />, t('state.closed')],
  ['the list', <AlertsPage key="list" />, t('history')],
] as const)('keeps the note on %s', async (_where, page, sign) => {
  const alerts = [anAlert(1)]
  const audit = router({ history: query(z.object({ items: z.array(z.never()) }), () => ({ items: [] })) })
  const procedures = { ...alertLedger(alerts).procedures, audit }
  const screen = await renderInConsole(page, { procedures, at: '/alerts' })
  const acknowledge = screen.getByRole('button', { name: t('acknowledge') }).first()
  await acknowledge.click()
  const note = screen.getByRole('dialog').getByRole('textbox')
  await note.fill('Disk is being')
  Object.assign(alerts[0] as object, { status: 'closed', closed_at: AT })
  screen.network.publish({ id: '1', topic: 'incident.changed', resource: { type: 'alert', id: idOf(1) } })
  await expect.element(screen.getByText(sign).first()).toBeInTheDocument()
  await expect.element(note).toHaveValue('Disk is being')
  await expect.element(note).toHaveFocus()
  await screen
    .getByRole('dialog')
    .getByRole('button', { name: textsOf('ui')('cancel') })
    .click()
  await expect.element(acknowledge).not.toBeInTheDocument()
})
