import { accessMutants } from './access.ts'
import { membridgeMutants } from './membridge.ts'
import type { Mutant } from './mutant.ts'
import { pipelineMutants } from './pipeline.ts'
import { pullMutants } from './pull.ts'
import { questionMutants } from './questions.ts'
import { queueMutants } from './queue.ts'
import { runtimeSettingMutants, workerFleetMutants } from './runtime-settings.ts'
import { storageMutants } from './storage.ts'
import { taskMutants } from './tasks.ts'

export const MUTANTS: readonly Mutant[] = [
  ...queueMutants,
  ...pipelineMutants,
  ...questionMutants,
  ...storageMutants,
  ...accessMutants,
  ...membridgeMutants,
  ...pullMutants,
  ...taskMutants,
  ...runtimeSettingMutants,
  ...workerFleetMutants,
]
