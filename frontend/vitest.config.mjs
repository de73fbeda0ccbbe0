export default { test: { include: ["src/**/*.test.ts"], environment: "node" } };
