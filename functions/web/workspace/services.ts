import type { ActivityContext } from '../../../shared/agents/activity/context.ts'
import type { Patience } from '../../../shared/agents/reach/request.ts'
import { routesWith } from '../../../shared/http/route.ts'

export interface WorkspaceServices extends ActivityContext {
  /** WALLET_ENCRYPTION_KEY. */
  encryptionKey: string | undefined
  patience?: Patience
}

export const route = routesWith<WorkspaceServices>()
