/** spec.md, Rate limits. */
export const path = '/api/v1/gateway'
