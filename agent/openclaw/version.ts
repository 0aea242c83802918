/** The OpenClaw release for agents. agent/image/Dockerfile and the local stack run it. */
export const openclawVersion = '2026.9.6'
