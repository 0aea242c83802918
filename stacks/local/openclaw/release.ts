/** The OpenClaw release that agents use. agent/openclaw/version.ts has the same value. */
export const openclawRelease = '2026.9.6'
