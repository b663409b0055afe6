// Requests the figures with the TypeScript client that is generated beside this file.
import { getResponseStatistics } from "./typescript";

const { data, error } = await getResponseStatistics({
    baseUrl: process.argv[2],
    headers: { AuthKey: "demo-read-key-0000" },
    query: {
        project: "demo", startDate: "2025-03-01", endDate: "2025-04-01", filter: process.argv.slice(3), compare: "previous",
    },
});
if (error) {
    throw new Error(JSON.stringify(error));
}
console.log(JSON.stringify(data.data[0].attributes));
