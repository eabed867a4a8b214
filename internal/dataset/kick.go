package dataset

import "slices"

// Kaggle's "Don't Get Kicked". Columns come in the order of OpenML 41162, which the paper's code took: RefId is dropped
// and the target moves to the end. This is the only data set with missing entries.
var kick = &source{
	Info: Info{
		Name: "kick", Title: "Kick", Problem: Binary, Rows: 72983, Target: 32, Columns: 33, Classes: 2, FlagsStay: true, Folds: 5, RunFolds: 1,
		Licence: "terms of the Kaggle competition",
	},
	columns: slices.Concat(
		[]columnSpec{{name: "PurchDate", date: true}},
		categorical("Auction"),
		continuous("VehYear", "VehicleAge"),
		categorical("Make", "Model", "Trim", "SubModel", "Color", "Transmission", "WheelTypeID", "WheelType"),
		continuous("VehOdo"),
		categorical("Nationality", "Size", "TopThreeAmericanName"),
		continuous("MMRAcquisitionAuctionAveragePrice", "MMRAcquisitionAuctionCleanPrice", "MMRAcquisitionRetailAveragePrice",
			"MMRAcquisitonRetailCleanPrice", // spelt so in the file
			"MMRCurrentAuctionAveragePrice", "MMRCurrentAuctionCleanPrice", "MMRCurrentRetailAveragePrice", "MMRCurrentRetailCleanPrice"),
		categorical("PRIMEUNIT", "AUCGUART", "BYRNO", "VNZIP1", "VNST"),
		continuous("VehBCost"),
		categorical("IsOnlineSale"),
		continuous("WarrantyCost"),
		[]columnSpec{levels("IsBadBuy", "0", "1")},
	),
	variants: []variant{{
		digest:    "997bb1cb4c741ac8acd118caddaff312f40aabe74683ff899b71e7ba28d82aab",
		classRows: []int{64007, 8976},
		files: []File{{
			Name:     "training.csv",
			MaxBytes: 14487324,
			Rows:     72983,
			Manual:   "training.csv of https://www.kaggle.com/c/DontGetKicked (log in, accept the rules, download, unpack)",
			SHA256:   []string{"d21f5285e91e6e7534a9d5c44781a6e22f9948c3c775b06fb1ed97a9101ccb35"},
			Gzip:     []string{"0ec74d83a388dcfb77acf786220bfd785b8e35d52f33c0db5547d082e3fc957e"},
			parse: text{
				separator: ',',
				header:    []string{"RefId", "IsBadBuy", "PurchDate", "Auction"},
				fields:    append(consecutive(2, 34), 1),
				missing:   []string{"", "NULL"},
			}.parse,
		}},
	}},
}
