import { operationList } from '#server/composition/all-operations.ts'
import { artifactRoutes } from './artifact.routes.ts'
import { auditRoutes } from './audit.routes.ts'
import { exportRoutes } from './export.routes.ts'
import { machineRoutes } from './machine.routes.ts'
import { type Route, routesOf } from './route.ts'
import { runRoutes } from './run.routes.ts'
import { signInRoutes } from './sign-in.routes.ts'
import { systemRoutes } from './system.routes.ts'

/** Every REST route of the gateway. */
export const restRoutes: readonly Route[] = [
  ...signInRoutes,
  ...machineRoutes,
  ...systemRoutes,
  ...auditRoutes,
  ...artifactRoutes,
  ...runRoutes,
  ...exportRoutes(operationList),
  ...operationList.flatMap(routesOf),
]
