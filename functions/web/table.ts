import { signInWays } from '#shared/accounts/oauth/sign-in-ways.ts'
import type { Route } from '#shared/http/route.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { userGroup } from '../common/user-group.ts'
import {
  type Services as MissionControlServices,
  routes as missionControl,
} from './mission-control.ts'
import { routes as oauth } from './oauth.ts'
import type { Services as OAuthServices } from './oauth/programs.ts'
import { routes as usage, type Services as UsageServices } from './usage.ts'

type Services = OAuthServices & UsageServices & MissionControlServices

/** The routes whose only right is the table: docs/design/decisions/0031. */
export const routes: readonly Route<Services>[] = [...oauth, ...usage, ...missionControl]

export function wire(config: ConfigOf<'web-table'>) {
  return userGroup<Services>(config, (table) => ({
    table,
    webUrl: config.WEB_URL,
    backendUrl: config.BACKEND_URL,
    signInWays: signInWays(config),
    deployed: config.deployed,
    gatewayUrl: config.X402_GATEWAY_URL,
  }))
}
