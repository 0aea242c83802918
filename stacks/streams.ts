import { groupsOf } from './apis.ts'
import { type Surface, surfaces } from '../shared/manifest/index.ts'
import { named, pascal } from './names.ts'

/** The stage that answers; its name is the first part of a path, which the edge adds and callers do not see. */
export const streamStage = 'live'

/**
 * The REST API of a surface that has streaming groups: HTTP APIs buffer and end at 30 s, REST APIs stream for up to
 * 15 minutes. Regional, because an edge-optimised one cuts a stream after 30 silent seconds, a regional one after
 * five minutes. Its routes are in stream-routes.ts.
 */
export const streams: Partial<Record<Surface, aws.apigateway.RestApi>> = Object.fromEntries(
  surfaces
    .filter((surface) => groupsOf(surface, true).length > 0)
    .map((surface) => [surface, restApi(surface)]),
)

/** The name of the host at which API Gateway serves a REST API; AWS tells it before the API has routes. */
export function hostOf(api: aws.apigateway.RestApi): $util.Output<string> {
  return $interpolate`${api.id}.execute-api.${aws.getRegionOutput().region}.amazonaws.com`
}

function restApi(surface: Surface): aws.apigateway.RestApi {
  return new aws.apigateway.RestApi(`${pascal(surface)}Streams`, {
    name: named(`${surface}-streams`),
    description: `The streaming groups of ${surface}`,
    endpointConfiguration: { types: 'REGIONAL' },
    // As text a body that is none would be broken. It is one setting for all groups: theirs come in base64 then, too.
    ...(passesOn(surface) && { binaryMediaTypes: ['*/*'] }),
  })
}

/** Whether a surface has a group that passes requests on. */
function passesOn(surface: Surface): boolean {
  return groupsOf(surface, true).some(({ trigger }) => trigger.uploads === true)
}
