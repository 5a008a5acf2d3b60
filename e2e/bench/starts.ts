/** How long the product takes, with all its programs, from the command to a console that answers, installed and built: in a new home, and again in the same. ROUNDS (3). */
import { startProduct } from '../fixtures/product.ts'
import { buildAll, withHome } from './console.ts'
import type { Figures } from './figures.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 3)

async function startAndStop(home: string): Promise<number> {
  const began = performance.now()
  const product = await startProduct({ home, env: { NLM_URL: '' } })
  await product.stop()
  return (product.readyAt - began) / 1_000
}

export async function benchStarts(figures: Figures): Promise<void> {
  await buildAll()
  for (let n = 0; n < ROUNDS; n++)
    await withHome(async (home) => {
      figures.add('start, new home', await startAndStop(home), { unit: 's', aim: { most: 3 } })
      figures.add('start, second', await startAndStop(home), { unit: 's', aim: { most: 1.5 } })
    })
}
