import { routesWith } from '../../../shared/http/route.ts'
import type { ReceiveContext } from '../../../shared/security-events/receive.ts'

export interface SecurityServices extends ReceiveContext {
  webUrl: string
}

export const route = routesWith<SecurityServices>()
