import { routesWith } from '../../../shared/http/route.ts'

/** The guard finds out all there is to say. */
export const route = routesWith<object>()
