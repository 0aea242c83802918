import { createHash } from 'node:crypto'
import { accessLogFormat, groupsOf, throttling } from './apis.ts'
import type { HttpFunction } from './apis.ts'
import { functionOf } from './functions.ts'
import type { Surface } from './manifest/index.ts'
import { named, pascal } from './names.ts'
import { streams, streamStage } from './streams.ts'

type RestApi = aws.apigateway.RestApi

/** The role by which API Gateway writes access logs of REST APIs: one setting for a whole account and region. */
const account = logWriter()

for (const [surface, api] of Object.entries(streams) as [Surface, RestApi][]) {
  const groups = groupsOf(surface, true)
  const integrations = groups.flatMap((group) => connect(api, group))
  publish(surface, api, groups, integrations)
}

function connect(api: RestApi, group: HttpFunction): aws.apigateway.Integration[] {
  const lambda = functionOf(group.name)
  new aws.lambda.Permission(`${pascal(group.name)}FromApi`, {
    action: 'lambda:InvokeFunction',
    function: lambda.name,
    principal: 'apigateway.amazonaws.com',
    sourceArn: $interpolate`${api.executionArn}/*`,
  })
  return group.trigger.prefixes.flatMap((prefix) => {
    const itself = resourceAt(api, group.name, prefix)
    const below = child(api, `${group.name}-below`, itself.id, '{proxy+}')
    return [itself, below].map((resource, index) => {
      const name = pascal(`${group.name}-${index === 0 ? 'itself' : 'below'}`)
      const method = new aws.apigateway.Method(`${name}Method`, {
        restApi: api.id,
        resourceId: resource.id,
        httpMethod: 'ANY',
        authorization: 'NONE',
      })
      return new aws.apigateway.Integration(`${name}Integration`, {
        restApi: api.id,
        resourceId: resource.id,
        httpMethod: method.httpMethod,
        type: 'AWS_PROXY',
        integrationHttpMethod: 'POST',
        uri: lambda.nodes.function.responseStreamingInvokeArn,
        responseTransferMode: 'STREAM',
        timeoutMilliseconds: group.timeoutSeconds * 1000,
      })
    })
  })
}

/** The resource of a path: `/api/chat` is `chat` inside `api` inside the root. */
function resourceAt(api: RestApi, name: string, path: string): aws.apigateway.Resource {
  const [first = '', ...rest] = path.split('/').filter(Boolean)
  return rest.reduce(
    (parent, part) => child(api, `${name}-${part}`, parent.id, part),
    child(api, `${name}-${first}`, api.rootResourceId, first),
  )
}

function child(api: RestApi, name: string, parentId: $util.Input<string>, pathPart: string) {
  return new aws.apigateway.Resource(`${pascal(name)}Resource`, {
    restApi: api.id,
    parentId,
    pathPart,
  })
}

/** Puts the routes on the stage: a REST API serves a snapshot, taken anew whenever its routes change. */
function publish(
  surface: Surface,
  api: RestApi,
  groups: HttpFunction[],
  integrations: aws.apigateway.Integration[],
): void {
  const name = `${pascal(surface)}Streams`
  const logs = new aws.cloudwatch.LogGroup(`${name}AccessLog`, {
    name: `/aws/vendedlogs/${named(`${surface}-streams`)}`,
    retentionInDays: 30,
  })
  const routes = groups.map(({ name: group, timeoutSeconds, trigger }) => ({
    group,
    timeoutSeconds,
    prefixes: trigger.prefixes,
  }))
  const deployment = new aws.apigateway.Deployment(
    `${name}Deployment`,
    {
      restApi: api.id,
      triggers: { routes: createHash('sha256').update(JSON.stringify(routes)).digest('hex') },
    },
    { dependsOn: integrations },
  )
  const stage = new aws.apigateway.Stage(
    `${name}Stage`,
    {
      restApi: api.id,
      stageName: streamStage,
      deployment: deployment.id,
      accessLogSettings: { destinationArn: logs.arn, format: accessLogFormat },
    },
    { dependsOn: account },
  )
  new aws.apigateway.MethodSettings(`${name}Settings`, {
    restApi: api.id,
    stageName: stage.stageName,
    methodPath: '*/*',
    settings: { ...throttling, metricsEnabled: true },
  })
}

/** Stays when a stage is removed, since the other stages of the account write their logs by it too. */
function logWriter(): aws.apigateway.Account {
  const role = new aws.iam.Role(
    'ApiLogWriter',
    {
      name: named('api-log-writer'),
      assumeRolePolicy: aws.iam.assumeRolePolicyForPrincipal({
        Service: 'apigateway.amazonaws.com',
      }),
      managedPolicyArns: [
        'arn:aws:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs',
      ],
    },
    { retainOnDelete: true },
  )
  return new aws.apigateway.Account(
    'ApiAccount',
    { cloudwatchRoleArn: role.arn },
    { retainOnDelete: true },
  )
}
