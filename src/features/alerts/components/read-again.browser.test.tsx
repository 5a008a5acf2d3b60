import { expect, it } from 'vitest'
import { z } from 'zod'
import { query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { alertLedger, anAlert, idOf } from '../testing/alerts.ts'
import { AlertPage } from './alert-page.tsx'
import { AlertsPage } from './alerts-page.tsx'

const t = textsOf('alerts')
const audit = router({ history: query(z.object({ items: z.array(z.never()) }), () => ({ items: [] })) })

it.each([
  ['in the list', <AlertsPage key="list" />, '/alerts'],
  ['on its page', <AlertPage key="page" id={idOf(1)} />, `/alerts/${idOf(1)}`],
])(
  'shows an alert that was acknowledged as such %s, whether or not an event says so',
  async (_, shown, at) => {
    const procedures = { ...alertLedger([anAlert(1)]).procedures, audit }
    const screen = await renderInConsole(shown, { procedures, at })
    await screen.getByRole('button', { name: t('acknowledge') }).click()
    const dialog = screen.getByRole('dialog')
    await dialog.getByRole('textbox').fill('Disk is being replaced')
    await dialog.getByRole('button', { name: t('acknowledge') }).click()
    await expect.element(screen.getByText(t('state.acknowledged')).first()).toBeVisible()
    await expect.element(screen.getByRole('button', { name: t('acknowledge') })).not.toBeInTheDocument()
  },
)
