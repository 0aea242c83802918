import { routesWith } from '../../../shared/http/route.ts'
import type { ChatServices } from '../chat/services.ts'

export const route = routesWith<ChatServices>()
