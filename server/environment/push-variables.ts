/** Where devices are notified over Web Push [push#delivery]: beyond the public services, those of one's own. */
import { origins } from './variables.ts'

export const pushVariables = {
  /** Origins of push services that are not public https, such as one of the local network. */
  PUSH_ORIGINS: origins,
}
