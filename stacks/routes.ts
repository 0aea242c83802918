import type { Surface } from '#shared/manifest/index.ts'
import { aliasOf } from './aliases.ts'
import { apis, groupsOf } from './apis.ts'
import type { HttpFunction } from './apis.ts'
import { pascal, slug } from './names.ts'

/**
 * Returns the route keys of a prefix: the prefix itself and everything below it. The root matches only itself, because
 * paths below it belong to other groups. `$default` matches all other paths.
 */
export function routeKeys(prefix: string): string[] {
  if (prefix === '$default') return [prefix]
  if (prefix === '/') return ['ANY /']
  return [`ANY ${prefix}`, `ANY ${prefix}/{proxy+}`]
}

for (const surface of Object.keys(apis) as Surface[])
  for (const group of groupsOf(surface, false)) connect(surface, group)

/**
 * One integration and one permission per group, no matter how many routes: a function's policy holds about thirty
 * statements. A route is named by its surface and key, so a route that moves to another function is updated in place:
 * the API rejects a second route with the same key.
 */
function connect(surface: Surface, group: HttpFunction): void {
  const { id, executionArn } = apis[surface].nodes.api
  const alias = aliasOf(group.name)
  new aws.lambda.Permission(`${pascal(group.name)}FromApi`, {
    action: 'lambda:InvokeFunction',
    function: alias.functionName,
    qualifier: alias.name,
    principal: 'apigateway.amazonaws.com',
    sourceArn: $interpolate`${executionArn}/*`,
  })
  const integration = new aws.apigatewayv2.Integration(`${pascal(group.name)}Integration`, {
    apiId: id,
    integrationType: 'AWS_PROXY',
    integrationMethod: 'POST',
    integrationUri: alias.arn,
    payloadFormatVersion: '2.0',
    timeoutMilliseconds: 30_000,
  })
  for (const routeKey of group.trigger.prefixes.flatMap(routeKeys))
    new aws.apigatewayv2.Route(`${pascal(surface)}Route${slug(routeKey.replace('ANY', ''))}`, {
      apiId: id,
      routeKey,
      target: $interpolate`integrations/${integration.id}`,
    })
}
