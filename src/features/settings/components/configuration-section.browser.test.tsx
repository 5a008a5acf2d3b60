import { expect, it } from 'vitest'
import { SHOWN_SETTINGS, systemSettings } from '#contracts/system.contract.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { SYSTEM } from '#lib/testing/system-answers.ts'
import { textsOf } from '#lib/testing/texts.ts'
import { ConfigurationSection } from './configuration-section.tsx'

const t = textsOf('settings')

it('names every setting with its value, and says what protects less than the default', async () => {
  const items = SHOWN_SETTINGS.map((name) => ({
    name,
    value: name === 'ALLOWED_ORIGINS' ? '' : '1',
    warning: name === 'CALLBACK_ALLOW_UNSIGNED' ? name : null,
  }))
  const system = router({ ...SYSTEM._def.procedures, settings: query(systemSettings, () => ({ items })) })
  const screen = await renderInConsole(<ConfigurationSection />, { procedures: { system }, role: 'operator' })
  for (const name of SHOWN_SETTINGS) await expect.element(screen.getByText(name)).toBeVisible()
  await expect.element(screen.getByText(t('none'))).toBeVisible()
  await expect.element(screen.getByText(t('relaxed.CALLBACK_ALLOW_UNSIGNED'))).toBeVisible()
  expect(screen.container.textContent).not.toContain(t('relaxed.ALLOW_INSECURE_LAN'))
  await expectAccessible()
})
