package npt_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"

	"nptbench/npt"
)

// A network is fitted to a file, kept in another one, and asked for the price of two houses that are in neither.
func Example() {
	ctx := context.Background()
	houses, err := npt.ReadCSV("testdata/houses.csv") // columns area, city and price
	if err != nil {
		log.Fatal(err)
	}
	fitted, err := npt.Fit(ctx, houses, "price", npt.SmallConfig())
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "houses.npt")
	if err := fitted.Save(file); err != nil {
		log.Fatal(err)
	}
	fitted.Close()

	predictor, err := npt.LoadPredictor(file, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer predictor.Close()
	prices, err := predictor.Predict(ctx, &npt.Frame{Names: []string{"area", "city"}, Rows: [][]string{{"60", "Bonn"}, {"120", "Cologne"}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("the larger one in Cologne costs more:", prices[1].Value > prices[0].Value)
	// Output:
	// the larger one in Cologne costs more: true
}

// A table of points on y = x², the last quarter of them for validation, then three new rows whose y is to be predicted.
func ExampleTrainer() {
	table := &npt.Table{
		Columns: []npt.Column{{Name: "x"}, {Name: "y", Target: true}},
		Train:   45, Val: 15, Test: 3,
	}
	point := func(x, y float64) { table.Values = append(table.Values, float32(x), float32(y)) }
	for i := range 60 {
		x := math.Mod(float64(i)*0.618, 1)*3 - 1.5 // evenly spread, in no order
		point(x, x*x)
	}
	for _, x := range []float64{-1, 0, 1.4} {
		point(x, 0) // what stands here for y is not looked at
	}

	config := npt.DefaultConfig()
	config.Hidden, config.Layers, config.Heads, config.Dropout = 16, 2, 4, 0
	config.Steps, config.LR, config.EvalEvery = 120, 1e-2, 10
	trainer, err := npt.NewTrainer(table, config, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer trainer.Close()
	ctx := context.Background()
	if err := trainer.Train(ctx); err != nil {
		fmt.Println(err)
		return
	}
	model, err := trainer.Model()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer model.Close()
	predictions, err := model.Predict(ctx, table)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range predictions {
		fmt.Println(int(math.Round(row[0])))
	}
	// Output:
	// 1
	// 0
	// 2
}
