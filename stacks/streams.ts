import { type Surface, surfaces } from '#shared/manifest/index.ts'
import { groupsOf } from './apis.ts'
import { named, pascal } from './names.ts'

/** The API Gateway stage. Its name is the first part of the path, which the edge adds and callers do not see. */
export const streamStage = 'live'

/**
 * The REST API of each surface with streaming groups: HTTP APIs buffer and end at 30 s, REST APIs stream for up to 15
 * minutes. It is regional, because an edge-optimised API cuts a stream after 30 silent seconds, a regional one after five
 * minutes. Its routes are in stream-routes.ts.
 */
export const streams: Partial<Record<Surface, aws.apigateway.RestApi>> = Object.fromEntries(
  surfaces
    .filter((surface) => groupsOf(surface, true).length > 0)
    .map((surface) => [surface, restApi(surface)]),
)

/** Returns the host name of a REST API. It is known before the API has routes. */
export function hostOf(api: aws.apigateway.RestApi): $util.Output<string> {
  return $interpolate`${api.id}.execute-api.${aws.getRegionOutput().region}.amazonaws.com`
}

function restApi(surface: Surface): aws.apigateway.RestApi {
  return new aws.apigateway.RestApi(`${pascal(surface)}Streams`, {
    name: named(`${surface}-streams`),
    description: `The streaming groups of ${surface}`,
    endpointConfiguration: { types: 'REGIONAL' },
    // Text encoding would break a binary body. The setting applies to all groups, so all of them get base64.
    ...(passesOn(surface) && { binaryMediaTypes: ['*/*'] }),
  })
}

/** Returns whether a surface has a group that forwards uploads. */
function passesOn(surface: Surface): boolean {
  return groupsOf(surface, true).some(({ trigger }) => trigger.uploads === true)
}
