import { createHash } from 'node:crypto'
import type { Surface } from '#shared/manifest/index.ts'
import { aliasOf, streamingArn } from './aliases.ts'
import { groupsOf, streamAccessLogFormat, throttling } from './apis.ts'
import type { HttpFunction } from './apis.ts'
import { named, pascal, slug } from './names.ts'
import { streams, streamStage } from './streams.ts'
import { trustedBy } from './trust.ts'

type RestApi = aws.apigateway.RestApi

/** The role that writes API Gateway's access logs of REST APIs: one setting for the whole account and region. */
const account = logWriter()

/** Resources by surface and path. Groups below one folder share its resource. */
const resources = new Map<string, aws.apigateway.Resource>()

for (const [surface, api] of Object.entries(streams) as [Surface, RestApi][]) {
  const groups = groupsOf(surface, true)
  const integrations = groups.flatMap((group) => connect(surface, api, group))
  publish(surface, api, groups, [...integrations, tooLarge(surface, api)])
}

const tooLargeBody = JSON.stringify({
  error: 'The request body is too large: the limit is 6 MB, encoded in base64',
})

/** The API itself rejects a body over Lambda's limit, before a function is invoked. */
function tooLarge(surface: Surface, api: RestApi): aws.apigateway.Response {
  return new aws.apigateway.Response(`${pascal(surface)}StreamTooLarge`, {
    restApiId: api.id,
    responseType: 'REQUEST_TOO_LARGE',
    responseTemplates: { 'application/json': tooLargeBody },
  })
}

function connect(
  surface: Surface,
  api: RestApi,
  group: HttpFunction,
): aws.apigateway.Integration[] {
  const alias = aliasOf(group.name)
  new aws.lambda.Permission(`${pascal(group.name)}FromApi`, {
    action: 'lambda:InvokeFunction',
    function: alias.functionName,
    qualifier: alias.name,
    principal: 'apigateway.amazonaws.com',
    sourceArn: $interpolate`${api.executionArn}/*`,
  })
  return group.trigger.prefixes.flatMap((prefix) => {
    return [prefix, `${prefix}/{proxy+}`].map((path) => {
      const resource = resourceAt(surface, api, path)
      const name = `${pascal(surface)}Stream${slug(path)}`
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
        uri: streamingArn(group.name),
        responseTransferMode: 'STREAM',
        timeoutMilliseconds: group.timeoutSeconds * 1000,
      })
    })
  })
}

/** Returns the resource of a path: `/api/chat` is `chat` below `api` below the root. */
function resourceAt(surface: Surface, api: RestApi, path: string): aws.apigateway.Resource {
  const known = resources.get(surface + path)
  if (known !== undefined) return known
  const parent = path.slice(0, path.lastIndexOf('/'))
  const made = new aws.apigateway.Resource(`${pascal(surface)}Stream${slug(path)}Resource`, {
    restApi: api.id,
    parentId: parent === '' ? api.rootResourceId : resourceAt(surface, api, parent).id,
    pathPart: path.slice(parent.length + 1),
  })
  resources.set(surface + path, made)
  return made
}

/** Deploys the routes to the stage. A REST API serves a snapshot, so every change of its routes needs a new deployment. */
function publish(
  surface: Surface,
  api: RestApi,
  groups: HttpFunction[],
  dependsOn: (aws.apigateway.Integration | aws.apigateway.Response)[],
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
    uploads: trigger.uploads === true,
  }))
  const deployment = new aws.apigateway.Deployment(
    `${name}Deployment`,
    {
      restApi: api.id,
      triggers: { served: digestOf({ routes, tooLargeBody }) },
    },
    { dependsOn },
  )
  const stage = new aws.apigateway.Stage(
    `${name}Stage`,
    {
      restApi: api.id,
      stageName: streamStage,
      deployment: deployment.id,
      accessLogSettings: { destinationArn: logs.arn, format: streamAccessLogFormat },
    },
    { dependsOn: account },
  )
  new aws.apigateway.MethodSettings(`${name}Settings`, {
    restApi: api.id,
    stageName: stage.stageName,
    methodPath: '*/*',
    settings: throttling,
  })
}

/** Returns a digest of all that a stage serves from its snapshot. A new digest creates a new deployment. */
function digestOf(served: object): string {
  return createHash('sha256').update(JSON.stringify(served)).digest('hex')
}

/** Kept when a stage is removed, because other stages of the account write logs with it too. */
function logWriter(): aws.apigateway.Account {
  const { partition } = aws.getPartitionOutput()
  const role = new aws.iam.Role(
    'ApiLogWriter',
    {
      // No name of its own: the role of a removed stage remains, and a later stage with the same name needs another one.
      assumeRolePolicy: trustedBy('apigateway.amazonaws.com'),
      managedPolicyArns: [
        $interpolate`arn:${partition}:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs`,
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
